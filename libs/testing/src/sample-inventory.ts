/** The output of the step inventory. */
export const sampleInventory = (changes: object = {}): object => ({
  hostname: 'node-1',
  cpu: { architecture: 'x86_64', count: 8, frequency: 2095.1, flags: ['vmx'], model_name: 'cpu' },
  memory: { physical_bytes: 34_359_738_368, usable_bytes: 33_000_000_000, physical_bytes_method: 'dmidecode' },
  disks: [sampleDisk()],
  interfaces: [
    {
      name: 'ens3',
      mac_address: '02:00:00:27:B1:40',
      ipv4_addresses: ['192.168.128.10/24'],
      ipv6_addresses: null,
      mtu: 1500,
      speed_mbps: -1,
      has_carrier: true,
    },
  ],
  routes: [{ destination: '0.0.0.0', family: 2, gateway: '192.168.128.1', interface: 'ens3' }],
  system_vendor: { manufacturer: 'Red Hat', product_name: 'KVM', virtual: true },
  boot: { current_boot_mode: 'bios' },
  gpus: [{ vendor_id: '1013' }],
  tpm_version: 'none',
  ...changes,
});

export const sampleDisk = (changes: object = {}): object => ({
  id: '/dev/disk/by-id/wwn-0x1',
  name: 'sda',
  path: '/dev/sda',
  drive_type: 'HDD',
  size_bytes: 128_849_018_880,
  smart: '{"local_time":1}',
  installation_eligibility: { eligible: true, not_eligible_reasons: null },
  ...changes,
});

export const SAMPLE_HOST_KEY = '11111111-1111-4111-8111-111111111111.22222222-2222-4222-8222-222222222222';
