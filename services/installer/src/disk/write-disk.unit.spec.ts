import { runRecorded } from '../recorded-host.fixture.spec';

describe('the cleaning of a disk', () => {
  it('removes volumes, mapped devices and RAID members of its disk only', async () => {
    const { commands } = await runRecorded({
      recording: [
        ['vgs', '  data /dev/sda3\n  other /dev/sdaa1\n'],
        ['pvs', '  /dev/sda3\n  /dev/sdb1\n'],
        ['dmsetup ls', 'data-root\t(253:0)\nother\t(253:1)\n'],
        ['dmsetup deps -o devname data-root', ' 1 dependencies\t: (sda3)\n'],
        ['dmsetup deps -o devname other', ' 1 dependencies\t: (sdb1)\n'],
        ['readlink -f /dev/md0', '/dev/md0\n'],
        [
          'mdadm -v',
          'ARRAY /dev/md0 level=raid1 num-devices=2 metadata=1.2 name=a:0 UUID=1\n   devices=/dev/sda2,/dev/sdb2\nARRAY /dev/md1 level=raid1 num-devices=1 UUID=2\n   devices=/dev/sdc1\n',
        ],
      ],
    });
    expect(commands.slice(1, commands.indexOf('wipefs --all --force /dev/sda'))).toEqual([
      'lsblk --json --bytes --output NAME,KNAME,TYPE,SIZE /dev/sda',
      'vgs --noheadings -o vg_name,pv_name',
      'vgremove data -y',
      'pvs --noheadings -o pv_name',
      'pvremove /dev/sda3 -y -ff',
      'dmsetup ls',
      'dmsetup deps -o devname data-root',
      'dmsetup remove --retry data-root',
      'dmsetup deps -o devname other',
      'mdadm -v --query --detail --scan',
      'readlink -f /dev/md0',
      'vgs --noheadings -o vg_name,pv_name',
      'pvs --noheadings -o pv_name',
      'dmsetup ls',
      'dmsetup deps -o devname data-root',
      'dmsetup deps -o devname other',
      'mdadm --stop /dev/md0',
      'mdadm --zero-superblock /dev/sda2',
    ]);
  });

  it.each([
    ['/dev/nvme0n1', '/dev/nvme0n1p3', '/dev/nvme0n10'],
    ['/dev/md1', '/dev/md1p3', '/dev/md12'],
    ['/dev/dm-1', '/dev/dm-1p3', '/dev/dm-10'],
    ['/dev/sda', '/dev/sda3', '/dev/sdap3'],
  ])('removes the volumes of %s on %s and not those on %s', async (device, partition, other) => {
    const { commands } = await runRecorded({
      files: { [device]: '' },
      recording: [
        ['readlink', `${device}\n`],
        ['vgs', `  system ${partition}\n  data ${other}\n`],
        ['pvs', `  ${partition}\n  ${other}\n`],
        ['dmsetup ls', 'root\t(253:0)\nother\t(253:1)\n'],
        ['dmsetup deps -o devname root', ` 1 dependencies\t: (${partition.replace('/dev/', '')})\n`],
        ['dmsetup deps -o devname other', ` 1 dependencies\t: (${other.replace('/dev/', '')})\n`],
        ['mdadm -v', `ARRAY /dev/md7 level=raid1\n   devices=${other}\n`],
      ],
    });
    const removals = /^(vgremove|pvremove|dmsetup remove|mdadm --)/;
    expect(commands.filter((command) => removals.test(command))).toEqual([
      'vgremove system -y',
      `pvremove ${partition} -y -ff`,
      'dmsetup remove --retry root',
    ]);
  });

  it.each([
    ['mpatha', 'mpatha3', 'mpathaa3'],
    ['3600140500000000a', '3600140500000000a-part3', '3600140500000000b-part3'],
  ])('removes the volumes of the multipath disk %s on its partition %s and not those on %s', async (...given) => {
    const [disk, partition, other] = given;
    const volume = { name: 'data-root', kname: 'dm-7', type: 'lvm' };
    const children = [{ name: partition, kname: 'dm-3', type: 'part', children: [volume] }];
    const { commands } = await runRecorded({
      files: { '/dev/dm-0': '' },
      recording: [
        ['readlink -f /dev/md5', '/dev/md5\n'],
        ['readlink', '/dev/dm-0\n'],
        ['lsblk', JSON.stringify({ blockdevices: [{ name: disk, kname: 'dm-0', type: 'mpath', children }] })],
        ['vgs', `  data /dev/mapper/${partition}\n  whole /dev/mapper/${disk}\n  other /dev/mapper/${other}\n`],
        ['pvs', `  /dev/mapper/${partition}\n  /dev/mapper/${disk}\n  /dev/mapper/${other}\n  /dev/dm-30\n`],
        ['dmsetup ls', `${disk}\t(253:0)\n${partition}\t(253:3)\nsecret\t(253:7)\nother\t(253:8)\n`],
        [`dmsetup deps -o devname ${partition}`, ` 1 dependencies\t: (${disk})\n`],
        ['dmsetup deps -o devname secret', ` 1 dependencies\t: (${partition})\n`],
        ['dmsetup deps -o devname other', ` 1 dependencies\t: (${other})\n`],
        ['mdadm -v', 'ARRAY /dev/md5 level=raid1\n   devices=/dev/dm-3,/dev/sdb2\n'],
      ],
    });
    const removals = /^(vgremove|pvremove|dmsetup remove|mdadm --)/;
    expect(commands.filter((command) => removals.test(command))).toEqual([
      'vgremove data -y',
      'vgremove whole -y',
      `pvremove /dev/mapper/${partition} -y -ff`,
      `pvremove /dev/mapper/${disk} -y -ff`,
      'dmsetup remove --retry secret',
      'mdadm --stop /dev/md5',
      'mdadm --zero-superblock /dev/dm-3',
    ]);
  });

  it('removes the volumes that it knows when lsblk fails, and reports it', async () => {
    const { commands, stages } = await runRecorded({
      recording: [
        ['lsblk', { exitCode: 1, stderr: 'not a block device' }],
        ['vgs', '  data /dev/sda3\n'],
      ],
    });
    expect(commands).toContain('vgremove data -y');
    expect(stages[1]).toMatch(/^Starting installation: Could not clean install device \/dev\/sda.*not a block device/);
  });

  it('continues when the disk cannot be cleaned, and reports it', async () => {
    const { failure, stages } = await runRecorded({ recording: [['wipefs', { exitCode: 1, stderr: 'busy' }]] });
    expect(failure).toBeUndefined();
    expect(stages[1]).toMatch(/^Starting installation: Could not clean install device \/dev\/sda.*busy/);
  });

  it('removes the volumes of an array under its kernel name before the array stops', async () => {
    const { commands } = await runRecorded({
      recording: [
        ['vgs', '  data /dev/md127\n'],
        ['pvs', '  /dev/md127\n'],
        ['dmsetup ls', 'secret\t(253:0)\n'],
        ['dmsetup deps', ' 1 dependencies\t: (md127)\n'],
        ['readlink -f /dev/md/host:pv00', '/dev/md127\n'],
        ['mdadm -v', 'ARRAY /dev/md/host:pv00 level=raid1\n   devices=/dev/sda2,/dev/sdb2\n'],
      ],
    });
    const changes = /^(vgremove|pvremove|dmsetup remove|mdadm --)/;
    expect(commands.filter((command) => changes.test(command))).toEqual([
      'vgremove data -y',
      'pvremove /dev/md127 -y -ff',
      'dmsetup remove --retry secret',
      'mdadm --stop /dev/md127',
      'mdadm --zero-superblock /dev/sda2',
    ]);
  });

  it('stops the arrays in a container of the firmware before the container', async () => {
    const devices = '   devices=/dev/sda,/dev/sdb\n';
    const { commands } = await runRecorded({
      recording: [
        ['readlink -f /dev/md/imsm0', '/dev/md127\n'],
        ['readlink -f /dev/md/Volume0', '/dev/md126\n'],
        [
          'mdadm -v',
          `ARRAY /dev/md/imsm0 level=container num-devices=2 metadata=imsm UUID=1\n${devices}ARRAY /dev/md/Volume0 level=raid1 num-devices=2 container=/dev/md/imsm0 member=0 UUID=2\n${devices}`,
        ],
      ],
    });
    expect(commands.filter((command) => command.startsWith('mdadm --'))).toEqual([
      'mdadm --stop /dev/md126',
      'mdadm --stop /dev/md127',
      'mdadm --zero-superblock /dev/sda',
    ]);
  });

  it('stops an array that lacks members and therefore did not start', async () => {
    const { commands } = await runRecorded({
      recording: [
        ['readlink -f /dev/md127', '/dev/md127\n'],
        [
          'mdadm -v',
          'INACTIVE-ARRAY /dev/md127 num-devices=1 metadata=1.2 name=old:0 UUID=1\n   devices=/dev/sda2\nINACTIVE-ARRAY /dev/md126 num-devices=1 UUID=2\n   devices=/dev/sdb2\n',
        ],
      ],
    });
    expect(commands.filter((command) => command.startsWith('mdadm --'))).toEqual([
      'mdadm --stop /dev/md127',
      'mdadm --zero-superblock /dev/sda2',
    ]);
  });

  it('stops each program that a disk without an answer blocks', async () => {
    const { commands, limited } = await runRecorded({
      flags: ['--format-disk', '/dev/sdb'],
      recording: [
        ['vgs', '  data /dev/sda3\n'],
        ['pvs', '  /dev/sda3\n'],
        ['dmsetup ls', 'data-root\t(253:0)\n'],
        ['dmsetup deps', ' 1 dependencies\t: (sda3)\n'],
        ['mdadm -v', 'ARRAY /dev/md0\n   devices=/dev/sda2\n'],
        ['wipefs --all --force', { exitCode: 1 }],
      ],
    });
    const programs = /^(dd|lsblk|vgs|vgremove|pvs|pvremove|dmsetup|mdadm|wipefs) /;
    const ofDisks = commands.filter((command) => programs.test(command));
    expect(ofDisks.length).toBeGreaterThan(10);
    expect(ofDisks.filter((command) => !limited.has(command))).toEqual([]);
  });

  it('continues after each failed command and reports each failure once', async () => {
    const failed = { exitCode: 5, stderr: 'busy' };
    const { commands, stages } = await runRecorded({
      recording: [
        ['vgs', '  data /dev/sda3\n  other /dev/sda4\n'],
        ['pvs', '  /dev/sda3\n'],
        ['dmsetup ls', 'a\t(253:0)\nb\t(253:1)\n'],
        ['dmsetup deps', ' 1 dependencies\t: (sda3)\n'],
        ['readlink -f /dev/md1', '/dev/md1\n'],
        ['readlink -f /dev/md2', '/dev/md2\n'],
        ['mdadm -v', 'ARRAY /dev/md1\n   devices=/dev/sda1\nARRAY /dev/md2\n   devices=/dev/sda2\n'],
        ['vgremove data', failed],
        ['dmsetup remove --retry a', failed],
        ['mdadm --stop /dev/md1', failed],
      ],
    });
    expect(commands).toEqual(
      expect.arrayContaining([
        'vgremove other -y',
        'pvremove /dev/sda3 -y -ff',
        'dmsetup remove --retry b',
        'mdadm --stop /dev/md2',
        'wipefs --all --force /dev/sda',
      ]),
    );
    expect([...(stages[1] ?? '').matchAll(/"([^"]+)" ended with exit code 5: busy/g)].map(([, line]) => line)).toEqual([
      'vgremove data -y',
      'dmsetup remove --retry a',
      'mdadm --stop /dev/md1',
    ]);
  });

  it('reports at most 2,048 characters, without half of a surrogate pair', async () => {
    const { stages } = await runRecorded({
      recording: [
        ['vgs', { exitCode: 5, stderr: '\u{1f4be}'.repeat(500) }],
        ['pvs', { exitCode: 5, stderr: `x${'\u{1f4be}'.repeat(499)}` }],
        ['dmsetup ls', { exitCode: 1, stderr: '\u{1f4be}'.repeat(500) }],
      ],
    });
    const info = stages[1]?.replace('Starting installation: ', '') ?? '';
    expect(info).toMatch(/^Could not clean install device/);
    expect(info).toHaveLength(2_048);
    expect(info.isWellFormed()).toBe(true);
  });
});
