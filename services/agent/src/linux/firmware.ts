import type { Boot, Gpu, SystemVendor } from '../machine/inventory';
import type { MachineFiles } from './machine-files';
import { readMounts } from './mounts';

const SECURE_BOOT = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c';
/** Four bytes of attributes, one of value. */
const SECURE_BOOT_BYTES = 5;
const SECURE_BOOT_STATES = ['Disabled', 'Enabled'] as const;

export function readBoot(files: MachineFiles): Boot {
  const commandLine = files.bytes('/proc/cmdline')?.toString('utf8') ?? '';
  const sysroot = readMounts(files).find(({ target }) => target === '/sysroot');
  return {
    command_line: commandLine,
    current_boot_mode: files.exists('/sys/firmware/efi') ? 'uefi' : 'bios',
    device_type: sysroot ? (sysroot.source.startsWith('/dev/loop') ? 'ephemeral' : 'persistent') : '',
    pxe_interface: /(?:^|\s)BOOTIF=(\S+)/.exec(commandLine)?.[1],
    secure_boot_state: secureBootState(files.bytes(SECURE_BOOT)),
  };
}

function secureBootState(variable: Buffer | undefined): Boot['secure_boot_state'] {
  if (!variable) return 'NotSupported';
  if (variable.length !== SECURE_BOOT_BYTES) return 'Unknown';
  return SECURE_BOOT_STATES[variable.readUInt8(SECURE_BOOT_BYTES - 1)] ?? 'Unknown';
}

export function readSystemVendor(files: MachineFiles): SystemVendor {
  const dmi = (name: string): string | undefined => files.text(`/sys/class/dmi/id/${name}`);
  const isOvirt = ['oVirt', 'RHV'].includes(dmi('product_family') ?? '');
  const isOracle = dmi('chassis_asset_tag') === 'OracleCloud.com';
  return {
    manufacturer: isOracle ? 'OracleCloud.com' : dmi('sys_vendor'),
    product_name: isOvirt ? 'oVirt' : dmi('product_name'),
    serial_number: dmi('product_serial'),
    virtual: / hypervisor\b/.test(files.text('/proc/cpuinfo') ?? '') || files.exists('/sys/hypervisor/type'),
  };
}

const TPM_VERSIONS: { readonly [major: string]: '1.2' | '2.0' | undefined } = { '1': '1.2', '2': '2.0' };

export function readTpmVersion(files: MachineFiles): 'none' | '1.2' | '2.0' {
  return TPM_VERSIONS[files.text('/sys/class/tpm/tpm0/tpm_version_major') ?? ''] ?? 'none';
}

/** PCI classes of graphics and accelerator cards. */
const GPU_CLASSES = ['0300', '0302', '0380', '1200'];

export function readGpus(files: MachineFiles): readonly Gpu[] {
  const hex = (address: string, name: string): string =>
    (files.text(`/sys/bus/pci/devices/${address}/${name}`) ?? '').replace(/^0x/, '');
  return files
    .list('/sys/bus/pci/devices')
    .filter((address) => GPU_CLASSES.includes(hex(address, 'class').slice(0, 4)))
    .map((address) => ({ address, device_id: hex(address, 'device'), vendor_id: hex(address, 'vendor') }));
}
