import { toInventoryText, type Inventory } from './inventory';

const inventory: Inventory = {
  bmc_address: '',
  cpu: { architecture: 'x86_64', count: 4, flags: [], frequency: 0 },
  disks: [
    {
      bootable: false,
      drive_type: 'SSD',
      id: '/dev/sda',
      installation_eligibility: { eligible: false, not_eligible_reasons: [] },
      name: 'sda',
      path: '/dev/sda',
      size_bytes: 100,
    },
  ],
  gpus: [],
  hostname: 'host-1',
  interfaces: [],
  memory: { physical_bytes: 1, usable_bytes: 1 },
  routes: [],
  system_vendor: { manufacturer: undefined, virtual: true },
};

describe('the text of an inventory', () => {
  it('omits empty members, 0 and false, and keeps lists', () => {
    expect(JSON.parse(toInventoryText(inventory))).toEqual({
      cpu: { architecture: 'x86_64', count: 4, flags: [] },
      disks: [
        {
          drive_type: 'SSD',
          id: '/dev/sda',
          installation_eligibility: { not_eligible_reasons: [] },
          name: 'sda',
          path: '/dev/sda',
          size_bytes: 100,
        },
      ],
      gpus: [],
      hostname: 'host-1',
      interfaces: [],
      memory: { physical_bytes: 1, usable_bytes: 1 },
      routes: [],
      system_vendor: { virtual: true },
    });
  });
});
