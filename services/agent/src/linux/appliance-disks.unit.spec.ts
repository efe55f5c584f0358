import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readDisks } from './disks';
import { createMachineFiles } from './machine-files';

describe('a disk whose partitions are mounted', () => {
  const root = mkdtempSync(join(tmpdir(), 'appliance-disks-'));
  afterAll(() => rmSync(root, { recursive: true }));

  /** Returns the disk of a machine that runs from its partitions, of which the first one has these properties. */
  const diskWith = async (properties: string) => {
    const files = {
      '/sys/block/sda/size': '2048',
      '/sys/block/sda/sda1/dev': '8:1\n',
      '/sys/block/sda/sda2/dev': '8:2\n',
      '/run/udev/data/b8:1': `S:disk/by-partuuid/0\n${properties}\n`,
      '/run/udev/data/b8:2': 'E:ID_PART_ENTRY_NAME=root\n',
      '/proc/self/mountinfo':
        '36 35 8:1 / /run/media/iso ro - iso9660 /dev/sda1 ro\n37 35 8:2 / /data rw - xfs /dev/sda2 rw\n',
    };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const [disk] = await readDisks(createMachineFiles(root));
    return { isMedia: disk?.is_installation_media, ...disk?.installation_eligibility };
  };

  it('is eligible when the machine boots the appliance from it', async () => {
    const disk = await diskWith('E:ID_PART_ENTRY_NAME=agentboot');
    expect(disk).toEqual({ isMedia: false, eligible: true, not_eligible_reasons: [] });
  });

  it.each(['E:ID_PART_ENTRY_NAME=my-agent', 'E:ID_FS_LABEL=agentboot'])(
    'is not eligible when it is another medium: %s',
    async (label) => {
      expect(await diskWith(label)).toMatchObject({ isMedia: true, eligible: false });
    },
  );
});

it('the holders of a disk are those of its partitions too', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holders-'));
  const holders = ['sda/holders/md0', 'sda/sda1/holders/dm-0', 'sda/sda2/holders/dm-0', 'sda/sda2/holders/dm-1'];
  // The names of other folders of the kernel do not begin with the name of the disk and a number.
  for (const path of [...holders, 'sda/queue/holders/none']) {
    mkdirSync(join(root, 'sys/block', path), { recursive: true });
  }
  const [disk] = await readDisks(createMachineFiles(root));
  rmSync(root, { recursive: true });
  expect(disk?.holders).toBe('md0,dm-0,dm-1');
});

it.each([
  ['a logical volume, so all disks are reported', 'LVM-2s9', 'HDD'],
  ['the device of the appliance, so no other disk is reported', '', undefined],
])('a mapped device whose name begins with agent is %s', async (_, uuid, driveType) => {
  const root = mkdtempSync(join(tmpdir(), 'agent-volume-'));
  const files = { 'dm-0/dm/name': 'agents-data', 'dm-0/dm/uuid': uuid, 'sda/queue/rotational': '1' };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'sys/block', path)), { recursive: true });
    writeFileSync(join(root, 'sys/block', path), `${content}\n`);
  }
  const disks = await readDisks(createMachineFiles(root));
  rmSync(root, { recursive: true });
  expect(disks.find(({ name }) => name === 'sda')?.drive_type).toBe(driveType);
  expect(disks.find(({ name }) => name === 'dm-0')?.installation_eligibility.eligible).toBe(driveType === undefined);
});
