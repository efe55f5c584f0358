import type { Memory } from '../machine/inventory';
import type { MachineFiles } from './machine-files';

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

/** The memory modules in the firmware's table (SMBIOS type 17): what dmidecode prints. Only root may read them. */
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

/** The memory blocks that the kernel has taken into use. */
function onlineBytes(files: MachineFiles): number {
  const folder = '/sys/devices/system/memory';
  const blockBytes = Number.parseInt(files.text(`${folder}/block_size_bytes`) ?? '0', 16);
  const blocks = files.list(folder).filter((name) => /^memory\d+$/.test(name));
  return blockBytes * blocks.filter((name) => files.text(`${folder}/${name}/state`) === 'online').length;
}
