import { readDisks } from './disks';
import { readMemory } from './hardware';
import type { MachineFiles } from './machine-files';

/** A machine with these files, folders and links. */
const machineWith = (
  texts: { readonly [path: string]: string },
  folders: { readonly [path: string]: readonly string[] },
  links: { readonly [path: string]: string } = {},
): MachineFiles => ({
  text: (path) => texts[path],
  bytes: () => undefined,
  firstBytes: async () => undefined,
  resolved: () => undefined,
  link: (path) => links[path],
  exists: () => false,
  list: (path) => folders[path] ?? [],
});

it('the memory of a machine without an SMBIOS table is that of its blocks that are online', () => {
  const folder = '/sys/devices/system/memory';
  const texts = {
    '/proc/meminfo': 'MemTotal:         260000 kB\n',
    [`${folder}/block_size_bytes`]: '8000000',
    [`${folder}/memory0/state`]: 'online',
    [`${folder}/memory1/state`]: 'offline',
    [`${folder}/memory2/state`]: 'online',
  };
  const machine = machineWith(texts, { [folder]: ['auto_online_blocks', 'memory0', 'memory1', 'memory2'] });
  expect(readMemory(machine)).toEqual({
    physical_bytes: 2 * 128 * 1024 ** 2,
    physical_bytes_method: 'ghw',
    usable_bytes: 260_000 * 1024,
  });
});

it('a disk with several persistent names has the first of them, so that its id stays the same', async () => {
  const [byId, byPath] = ['/dev/disk/by-id', '/dev/disk/by-path'];
  const names = { [byId]: ['ata-DISK', 'wwn-0x5', 'wwn-0x6'], [byPath]: ['pci-0-ata-1', 'pci-0-ata-1.0'] };
  const links = Object.fromEntries(
    Object.entries(names).flatMap(([folder, found]) => found.map((name) => [`${folder}/${name}`, '../../sda'])),
  );
  const [disk] = await readDisks(machineWith({}, { '/sys/block': ['sda'], ...names }, links));
  expect(disk).toMatchObject({ id: `${byId}/wwn-0x5`, by_id: `${byId}/wwn-0x5`, by_path: `${byPath}/pci-0-ata-1` });
});
