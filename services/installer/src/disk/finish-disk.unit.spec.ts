import { gzipSync } from 'node:zlib';
import { toDataUrl } from '@muster/ignition-config';
import { type Recording, runRecorded } from '../recorded-host.fixture.spec';

/** The config of a pool whose operating system has these kernel arguments. */
const poolWith = (kernelArguments: readonly string[]) => {
  const machineConfig = JSON.stringify({ spec: { osImageURL: 'quay.io/rhcos:1', kernelArguments } });
  const path = '/etc/ignition-machine-config-encapsulated.json';
  return {
    ignition: { version: '3.2.0' },
    storage: { files: [{ path, contents: { source: toDataUrl(machineConfig) } }] },
  };
};

/** Runs an installation that writes the operating system of a pool with these kernel arguments. */
const runWith = (
  kernelArguments: readonly string[],
  installerArgs: readonly string[],
  recording: Recording = [],
  flags: readonly string[] = [],
) => {
  const source = toDataUrl(JSON.stringify(poolWith(kernelArguments)));
  const own = { ignition: { version: '3.2.0', config: { merge: [{ source }] } } };
  return runRecorded({
    flags: ['--enable-skip-mco-reboot', '--installer-args', JSON.stringify(installerArgs), ...flags],
    recording: [['uname', 'x86_64\n'], ...recording],
    files: { '/dev/dm-0': '', '/dev/nvme0n1': '' },
    api: { hostIgnition: async () => Buffer.from(JSON.stringify(own)) },
  });
};

const commandsWith = async (...options: Parameters<typeof runWith>) => {
  const { commands, failure, notes } = await runWith(...options);
  expect([failure, notes]).toEqual([undefined, []]);
  return commands;
};

describe('the operating system of the release', () => {
  it('is written to the root partition', async () => {
    const commands = await commandsWith([], []);
    const from = commands.indexOf('growpart --free-percent=94 /dev/sda 4');
    expect(commands.slice(from, from + 12)).toEqual([
      'growpart --free-percent=94 /dev/sda 4',
      'mount /dev/sda4 /mnt',
      'mount /dev/sda3 /mnt/boot',
      'xfs_growfs /mnt',
      'setenforce 0',
      'ostree container image deploy --sysroot /mnt --authfile /root/.docker/config.json --imgref ostree-unverified-registry:quay.io/rhcos:1 --karg ignition.platform.id=metal --karg $ignition_firstboot --stateroot rhcos',
      'fsfreeze --freeze /mnt/boot',
      'fsfreeze --unfreeze /mnt/boot',
      'umount /mnt/boot',
      'fsfreeze --freeze /mnt',
      'fsfreeze --unfreeze /mnt',
      'umount /mnt',
    ]);
  });

  it('is requested from the machine-config server, whose authority the config of the host names', async () => {
    const url = 'https://api-int.edge.example.com:22623/config/master';
    const tls = { certificateAuthorities: [{ source: toDataUrl('PEM of the cluster') }] };
    const own = { ignition: { version: '3.2.0', config: { merge: [{ source: url }] }, security: { tls } } };
    const requests: unknown[] = [];
    const { commands, notes } = await runRecorded({
      flags: ['--enable-skip-mco-reboot'],
      recording: [['uname', 'x86_64\n']],
      api: { hostIgnition: async () => Buffer.from(JSON.stringify(own)) },
      fetchConfig: async (request) => {
        requests.push(request);
        return Buffer.from(JSON.stringify(poolWith([])));
      },
    });
    const accept = 'application/vnd.coreos.ignition+json; version=3.4.0';
    expect(requests).toEqual([{ url, caPem: 'PEM of the cluster', accept }]);
    expect(notes).toEqual([]);
    expect(commands).toContainEqual(expect.stringContaining('--imgref ostree-unverified-registry:quay.io/rhcos:1 '));
  });

  it('is found in the compressed config of a single node', async () => {
    const gzipped = (value: object) => ({
      source: `data:;base64,${gzipSync(JSON.stringify(value)).toString('base64')}`,
      compression: 'gzip',
    });
    const path = '/etc/ignition-machine-config-encapsulated.json';
    const files = [{ path, contents: gzipped({ spec: { osImageURL: 'quay.io/rhcos:1' } }) }];
    const pool = { ignition: { version: '3.2.0' }, storage: { files } };
    const master = { ignition: { version: '3.2.0', config: { merge: [gzipped(pool)] } } };
    const { commands, failure, notes } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '1', '--enable-skip-mco-reboot'],
      recording: [['uname', 'x86_64\n']],
      files: {
        '/opt/openshift/.bootkube.done': '',
        '/opt/openshift/master.ign': JSON.stringify(master),
        '/usr/bin/oc': '',
      },
    });
    expect([failure, notes]).toEqual([undefined, []]);
    expect(commands).toContainEqual(expect.stringContaining('--imgref ostree-unverified-registry:quay.io/rhcos:1 '));
  });

  it.each([
    ['/dev/dm-0', 'mpatha', 'mpath', '/dev/mapper/mpatha'],
    ['/dev/nvme0n1', 'nvme0n1p', 'disk', '/dev/nvme0n1p'],
  ])('is written to the partitions of %s that lsblk shows, also without the first two', async (...given) => {
    const [device, prefix, type, path] = given;
    const children = [3, 4].map((number) => ({ name: `${prefix}${number}`, type: 'part', size: 1_000 }));
    const lsblk = JSON.stringify({ blockdevices: [{ name: prefix.replace(/p$/, ''), type, size: 9_000, children }] });
    const recording: Recording = [
      ['readlink', `${device}\n`],
      ['lsblk', lsblk],
    ];
    const commands = await commandsWith([], [], recording);
    expect(commands.filter((command) => command.startsWith('mount '))).toEqual([
      `mount ${path}4 /mnt`,
      `mount ${path}3 /mnt/boot`,
    ]);
  });

  it.each([
    // The arguments of a host can keep partitions, and its config can create some. Both need the rest of the disk.
    [120_000_000_000, 'growpart --free-percent=94 /dev/sda 4'],
    ['8000000000', 'growpart --free-percent=18 /dev/sda 4'],
    [6_536_870_912, 'growpart /dev/sda 4'],
    [4_000_000_000, 'growpart /dev/sda 4'],
  ])('doubles the root partition on a disk of %s bytes and no more', async (size, expected) => {
    const sizes = [1_048_576, 133_169_152, 402_653_184, '3000000000'];
    const children = sizes.map((bytes, index) => ({ name: `sda${index + 1}`, type: 'part', size: bytes }));
    const lsblk = JSON.stringify({ blockdevices: [{ name: 'sda', type: 'disk', size, children }] });
    const commands = await commandsWith([], [], [['lsblk', lsblk]]);
    expect(commands.filter((command) => command.startsWith('growpart'))).toEqual([expected]);
  });

  it('is pulled through the proxy of the cluster', async () => {
    const proxy = 'http://proxy.example.com:3128';
    const { environments } = await runWith([], [], [], ['--https-proxy', proxy]);
    const [, pull] = [...environments].find(([command]) => command.startsWith('ostree container image deploy')) ?? [];
    expect(pull).toHaveProperty('https_proxy', proxy);
  });

  it.each([
    ['ostree container image deploy', ['umount /mnt/boot', 'umount /mnt']],
    ['mount /dev/sda3', ['umount /mnt']],
    ['mount /dev/sda4', []],
  ])('leaves no file system over /mnt, which has the registry data, when "%s" fails', async (failing, expected) => {
    const { commands, failure, notes } = await runWith([], [], [[failing, { exitCode: 1 }]]);
    const end = commands.findLastIndex((command) => command.startsWith(failing));
    expect(commands.slice(end).filter((command) => command.startsWith('umount'))).toEqual(expected);
    expect(notes[0]).toMatch(/^The operating system was not written in advance: ".*" ended with exit code 1/);
    expect(failure).toBeUndefined();
  });

  it('has the kernel arguments of coreos-installer and those of the pool', async () => {
    const appended = ['--append-karg', 'rd.iscsi.firmware=1', '--append-karg=ip=52-54-00-aa-00-01:dhcp'];
    const commands = await commandsWith(['nosmt'], [...appended, '--copy-network', '--delete-karg', 'quiet']);
    const deploy = commands.find((command) => command.startsWith('ostree container image deploy')) ?? '';
    expect([...deploy.matchAll(/--karg (\S+)/g)].map(([, karg]) => karg)).toEqual([
      'ignition.platform.id=metal',
      '$ignition_firstboot',
      'rd.iscsi.firmware=1',
      'ip=52-54-00-aa-00-01:dhcp',
      'nosmt',
    ]);
  });

  it('is not awaited longer than 20 minutes from a machine-config server that does not answer', async () => {
    jest.useFakeTimers();
    let isEnded = false;
    const { commands, failure, notes } = await runRecorded({
      flags: ['--enable-skip-mco-reboot'],
      fetchConfig: (_request, signal) => {
        signal.addEventListener('abort', () => (isEnded = true));
        void Promise.resolve().then(() => jest.advanceTimersByTime(20 * 60_000));
        return new Promise(() => undefined);
      },
    });
    jest.useRealTimers();
    expect([failure, isEnded]).toEqual([undefined, true]);
    expect(notes).toContain(
      'The operating system was not written in advance: the machine-config server did not answer within 20 minutes',
    );
    expect(commands.at(-1)).toMatch(/^shutdown -r/);
  });
});

describe('the registry data of an image for disconnected installation', () => {
  const SCRIPT = '/usr/lib/dracut/modules.d/40ignition-ostree/ignition-ostree-transposefs.sh';
  /** The disk has 120 GB, of which the operating system has 3.5 GB. */
  const copy = (gigabytes: number, files: { readonly [path: string]: string } = {}) =>
    runRecorded({
      files: { '/run/media/iso/registry': '', ...files },
      recording: [['du', `${gigabytes}000000000\t/mnt/agentdata\n`]],
    });

  it('is copied to a file system that was made for its size, because the first boot moves a grown one to memory', async () => {
    const { commands, failure } = await copy(20, { [SCRIPT]: '' });
    const from = commands.findIndex((command) => command.startsWith('growpart'));
    expect(failure).toBeUndefined();
    expect(commands.slice(from, from + 7)).toEqual([
      'growpart --free-percent=55 /dev/sda 4',
      `bash -c set -o pipefail; sed 's/threshold=[0-9]*/threshold=0/' ${SCRIPT} | bash -s autosave-xfs`,
      `bash ${SCRIPT} restore`,
      `bash ${SCRIPT} cleanup`,
      'mkdir -p /mnt/root',
      'mount /dev/sda4 /mnt/root',
      'xfs_growfs /mnt/root',
    ]);
  });

  it('is copied also by a live system without the program that makes the file system', async () => {
    const { commands, failure, notes } = await copy(20);
    expect(failure).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining(SCRIPT)]);
    expect(commands).toContain('xfs_growfs /mnt/root');
  });

  it.each([
    ['', /^$/],
    ['No space left on device', /: rsync: .*No space left on device$/],
  ])('can stay mounted until the reboot, and the reason is that of the copy: "%s"', async (error, reason) => {
    const { failure, notes } = await runRecorded({
      files: { '/run/media/iso/registry': '' },
      recording: [
        ['du', '1000\t/mnt/agentdata\n'],
        ['rsync', error ? { exitCode: 11, stderr: `rsync: write failed: ${error}` } : ''],
        ['umount /mnt/root', { exitCode: 32, stderr: 'umount: /mnt/root: target is busy.' }],
      ],
    });
    expect(failure ?? '').toMatch(reason);
    expect(notes.join()).toContain('target is busy');
  });

  it('must leave one percent of the disk free', async () => {
    expect((await copy(46)).failure).toBeUndefined();
    expect((await copy(47)).failure).toContain(
      'The registry data needs 117500000000 bytes, and the disk /dev/sda has 116463129088 that are free. Use a larger disk.',
    );
  });
});
