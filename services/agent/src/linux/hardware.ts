import type { Boot, Cpu, Gpu, Memory, SystemVendor } from '../machine/inventory';
import { type MachineFiles, readMounts } from './machine-files';

const KHZ_PER_MHZ = 1000;
/** Members of /proc/cpuinfo with a frequency in MHz: of x86_64, s390x and ppc64le. */
const FREQUENCIES = ['cpu mhz', 'cpu mhz static', 'clock'];

export function readCpu(files: MachineFiles, architecture: string): Cpu {
  const lines = (files.text('/proc/cpuinfo') ?? '').split('\n').map((line) => line.split(/\s*:\s*/));
  const valuesOf = (name: string): string[] =>
    lines.flatMap(([key, ...value]) => (key?.trim().toLowerCase() === name ? [value.join(': ')] : []));
  // s390x writes "processor 0", all others "processor : 0".
  const processors = lines.filter(([key]) => /^processor( \d+)?$/i.test(key?.trim() ?? ''));
  const kHzMax = Number(files.text('/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq') ?? 0);
  const flags = (valuesOf('flags')[0] ?? valuesOf('features')[0] ?? '').split(' ');
  return {
    architecture,
    count: processors.length,
    flags: flags.filter((flag) => flag !== ''),
    // The present frequency differs at each report, and an unchanged report is not sent again.
    frequency:
      kHzMax > 0
        ? kHzMax / KHZ_PER_MHZ
        : Math.max(0, ...FREQUENCIES.flatMap(valuesOf).map(Number.parseFloat).filter(Number.isFinite)),
    // ppc64le names the model "cpu". s390x has a machine type and no model name.
    model_name:
      valuesOf('model name')[0] ?? valuesOf('cpu')[0] ?? /machine = (\w+)/.exec(valuesOf('processor 0')[0] ?? '')?.[1],
  };
}

const KIB = 1024;
const MIB = 1024 * KIB;

export function readMemory(files: MachineFiles): Memory {
  const totalKib = Number(/^MemTotal:\s+(\d+) kB/m.exec(files.text('/proc/meminfo') ?? '')?.[1] ?? 0);
  const usable_bytes = totalKib * KIB;
  const fitted = fittedBytes(files);
  if (fitted > 0) return { physical_bytes: fitted, physical_bytes_method: 'dmidecode', usable_bytes };
  const online = onlineBytes(files);
  if (online > 0) return { physical_bytes: online, physical_bytes_method: 'ghw', usable_bytes };
  return { physical_bytes: usable_bytes, physical_bytes_method: 'meminfo', usable_bytes };
}

/** Size of the memory modules in the SMBIOS table (type 17), as dmidecode prints it. Only root may read the table. */
function fittedBytes(files: MachineFiles): number {
  const tables = files.list('/sys/firmware/dmi/entries').filter((name) => name.startsWith('17-'));
  return tables.reduce((sum, name) => sum + moduleBytes(files.bytes(`/sys/firmware/dmi/entries/${name}/raw`)), 0);
}

const SIZE_OFFSET = 0x0c;
const EXTENDED_SIZE_OFFSET = 0x1c;
const SIZE_UNKNOWN = 0xffff;
const SIZE_IS_EXTENDED = 0x7fff;
const SIZE_IN_KIB = 0x8000;

export function moduleBytes(table: Buffer | undefined): number {
  if (!table || table.length < SIZE_OFFSET + 2) return 0;
  const size = table.readUInt16LE(SIZE_OFFSET);
  if (size === SIZE_UNKNOWN) return 0;
  if (size !== SIZE_IS_EXTENDED) return size & SIZE_IN_KIB ? (size & ~SIZE_IN_KIB) * KIB : size * MIB;
  return table.length < EXTENDED_SIZE_OFFSET + 4 ? 0 : (table.readUInt32LE(EXTENDED_SIZE_OFFSET) & 0x7fffffff) * MIB;
}

/** Size of the memory blocks that are online. */
function onlineBytes(files: MachineFiles): number {
  const folder = '/sys/devices/system/memory';
  const blockBytes = Number.parseInt(files.text(`${folder}/block_size_bytes`) ?? '0', 16);
  const blocks = files.list(folder).filter((name) => /^memory\d+$/.test(name));
  return blockBytes * blocks.filter((name) => files.text(`${folder}/${name}/state`) === 'online').length;
}

const SECURE_BOOT = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c';
/** The EFI variable has four bytes of attributes and one byte of value. */
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
  const mainframe = dmi('sys_vendor') === undefined ? mainframeOf(files) : undefined;
  return {
    manufacturer: isOracle ? 'OracleCloud.com' : (dmi('sys_vendor') ?? mainframe?.manufacturer),
    product_name: isOvirt ? 'oVirt' : (dmi('product_name') ?? mainframe?.product),
    serial_number: dmi('product_serial'),
    virtual:
      mainframe?.product.startsWith('KVM/Linux') === true ||
      / hypervisor\b/.test(files.text('/proc/cpuinfo') ?? '') ||
      files.exists('/sys/hypervisor/type'),
  };
}

const MAINFRAME = 'IBM/S390';

/** Machines of s390x have no DMI tables. Undefined on other machines. */
function mainframeOf(files: MachineFiles): { readonly manufacturer: string; readonly product: string } | undefined {
  const [, vendor = ''] = /^vendor_id\s*: (.+)$/m.exec(files.text('/proc/cpuinfo') ?? '') ?? [];
  if (vendor.trim() !== MAINFRAME) return undefined;
  const [, guest] = /^VM00 Control Program:\s*(.+)$/m.exec(files.text('/proc/sysinfo') ?? '') ?? [];
  return { manufacturer: MAINFRAME, product: guest?.trim() ?? 'LPAR' };
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
  const addresses = files
    .list('/sys/bus/pci/devices')
    .filter((address) => GPU_CLASSES.includes(hex(address, 'class').slice(0, 4)));
  const names = addresses.length > 0 ? (files.text('/usr/share/hwdata/pci.ids') ?? '') : '';
  return addresses.map((address) => {
    const [vendorId, deviceId] = [hex(address, 'vendor'), hex(address, 'device')];
    return { address, device_id: deviceId, vendor_id: vendorId, ...pciNames(names, vendorId, deviceId) };
  });
}

/** Looks up a card in the PCI database. It has one line per vendor, followed by one indented line per device. */
function pciNames(database: string, vendorId: string, deviceId: string): Pick<Gpu, 'name' | 'vendor'> {
  const start = `\n${database}`.indexOf(`\n${vendorId}  `);
  if (start < 0) return {};
  const [vendorLine = '', ...lines] = database.slice(start).split('\n');
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('\t') && !line.startsWith('#'));
  const device = lines.slice(0, end < 0 ? undefined : end).find((line) => line.startsWith(`\t${deviceId}  `));
  return { vendor: nameIn(vendorLine), name: device && nameIn(device) };
}

const nameIn = (line: string): string => line.trim().replace(/^\S+\s+/, '');
