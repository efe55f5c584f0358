import { ServiceUnreachable } from '@muster/host-api';
import { HOST_ID, runRecorded } from './recorded-host.fixture.spec';

/**
 * Last lines of coreos-installer output, and the beginning of the reported text. They were recorded from version
 * 0.27.0. Exceptions: no route, a clock in 1970, a disk in use, a disk error and a missing program are written in the
 * same format.
 */
const OUTPUTS: readonly (readonly [string, string, string])[] = [
  [
    'the image does not exist',
    "Error: fetching image URL\n\nCaused by:\n    0: fetching 'http://192.0.2.9/x'\n    1: HTTP status client error (404 Not Found) for url (http://192.0.2.9/x)",
    'The server does not have this file.',
  ],
  [
    'the mirror fails',
    "Error: fetching image URL\n\nCaused by:\n    0: fetching 'http://192.0.2.9/x'\n    1: HTTP 500 Internal Server Error",
    'The server failed.',
  ],
  [
    'nothing listens',
    'Error: fetching image URL\n\nCaused by:\n    2: client error (Connect)\n    3: tcp connect error\n    4: Connection refused (os error 111)',
    'Nothing listens at this address and port.',
  ],
  [
    'there is no route',
    'Error: fetching image URL\n\nCaused by:\n    3: tcp connect error\n    4: Network is unreachable (os error 101)',
    'The host has no route to the server.',
  ],
  [
    'the name is unknown',
    'Caused by:\n    3: dns error\n    4: failed to lookup address information: Name or service not known',
    'The name of the server cannot be resolved.',
  ],
  [
    'the authority is not trusted',
    'Caused by:\n    3: error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed:../ssl/statem/statem_clnt.c:1889: (self-signed certificate)',
    'The host does not trust the certificate of the server.',
  ],
  [
    'the clock is in 1970',
    'Caused by:\n    3: error:0A000086:SSL routines:tls_post_process_server_certificate:certificate verify failed: (certificate is not yet valid)',
    'The certificate is not valid yet by the clock of this host.',
  ],
  [
    'the download is truncated',
    'Error: decoding and writing image\n\nCaused by:\n    0: request or response body error\n    1: error reading a body from connection\n    2: end of file before message length reached\n\nResetting partition table',
    'The download ended before it was complete.',
  ],
  [
    'the image is cut short',
    'Error: decoding and writing image\n\nCaused by:\n    incomplete deflate stream\n\nResetting partition table',
    'The download ended before it was complete.',
  ],
  [
    'the image is corrupt',
    'Error: decoding and writing image\n\nCaused by:\n    corrupt deflate stream\n\nResetting partition table',
    'The downloaded data differs from the published data.',
  ],
  [
    'the disk is full',
    'Error: decoding and writing image\n\nCaused by:\n    No space left on device (os error 28)\n\nResetting partition table',
    'The disk is full: it is smaller than the data.',
  ],
  [
    'the disk is in use',
    'Error: checking for exclusive access to /dev/sda\n\nCaused by:\n    0: found busy partitions',
    'Another program uses the disk.',
  ],
  [
    'the disk fails',
    'Error: decoding and writing image\n\nCaused by:\n    Input/output error (os error 5)',
    'The disk reported an error.',
  ],
  [
    'the disk vanished',
    'Error: checking whether /dev/sda is an IBM DASD disk\n\nCaused by:\n    0: getting absolute path to /dev/sda\n    1: No such file or directory (os error 2)',
    'The disk is not available any more.',
  ],
  [
    'coreos-installer is missing',
    'coreos-installer: command not found',
    'The live system does not contain this program.',
  ],
];

describe('a disk that cannot be written', () => {
  it.each(OUTPUTS)('is reported with cause and remedy when %s', async (_case, stderr, cause) => {
    const { failure, stages } = await runRecorded({ recording: [['coreos-installer', { exitCode: 1, stderr }]] });
    expect(stages.at(-1)).toMatch(
      new RegExp(`^Failed: ${cause.replaceAll('.', '\\.')} [A-Z].+ "coreos-installer install`),
    );
    expect(failure).toContain('The installation failed in the phase "write the disk"');
  });

  it.each([
    ['a panic', 101, "thread 'main' panicked at src/install.rs:1:1"],
    ['a kill', 137, ''],
    ['a code without output', 2, ''],
  ])('is reported with the exit code after %s', async (_case, exitCode, stderr) => {
    const { stages } = await runRecorded({ recording: [['coreos-installer', { exitCode, stderr }]] });
    expect(stages.at(-1)).toMatch(/^Failed: .*coreos-installer install/);
    expect(stages.at(-1)).toContain(String(exitCode));
    expect(stages.at(-1)).toContain(stderr);
  });

  it('is not the cause when the memory of the live system is full', async () => {
    const text = 'ENOSPC: no space left on device, write';
    const ofFile = await runRecorded({
      api: { hostIgnition: () => Promise.reject(Object.assign(new Error(text), { code: 'ENOSPC' })) },
    });
    const ofImage = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '3'],
      recording: [['podman run --net host', { exitCode: 125, stderr: 'writing blob: no space left on device' }]],
    });
    for (const { stages } of [ofFile, ofImage])
      expect(stages.at(-1)).toMatch(
        /^Failed: The live system is full: its files are in memory\. Give the host more memory/,
      );
  });

  it('reports the end of a long output within the limit of the service', async () => {
    const stderr = `${'x'.repeat(10_000)}\nNo space left on device (os error 28)`;
    const { stages } = await runRecorded({
      flags: ['--installer-args', JSON.stringify(Array.from({ length: 100 }, () => '--append-karg=abcdefghijklmnop'))],
      recording: [['coreos-installer', { exitCode: 1, stderr }]],
    });
    const info = stages.at(-1)?.slice('Failed: '.length) ?? '';
    expect(info).toMatch(/^The disk is full/);
    expect(info.length).toBeLessThanOrEqual(2_048);
  });

  it('reports after every five minutes without output of coreos-installer', async () => {
    const { stages } = await runRecorded({ silentRounds: 2 });
    const silent = stages.filter((stage) => stage.includes('has printed nothing for 5 minutes'));
    expect(silent).toHaveLength(2);
    expect(stages.at(-1)).toBe('Rebooting');
  });

  it('ends an installation when the medium with its registry data cannot be read', async () => {
    const { commands, failure, stages } = await runRecorded({ unreadable: '/run/media/iso/registry' });
    expect(stages.at(-1)).toBe("Failed: EIO: i/o error, access '/run/media/iso/registry'");
    expect(failure).toContain('in the phase "copy the registry data"');
    expect(commands.filter((command) => command.startsWith('shutdown'))).toEqual([]);
  });

  it('ends an installation whose Ignition config is missing or not JSON', async () => {
    const broken = await runRecorded({ api: { hostIgnition: async () => Buffer.from('<html>') } });
    expect(broken.stages.at(-1)).toMatch(new RegExp(`^Failed: The Ignition config .*${HOST_ID}.* is not JSON`));
  });
});

describe('an installation without an answer of the service', () => {
  const written = ['coreos-installer', { stderr: 'Read disk 1.0 MiB/2.0 MiB (50%)\rRead disk (100%)' }] as const;
  const writes = (commands: readonly string[]): number =>
    commands.filter((command) => command.startsWith('coreos-installer')).length;
  const unreachable = new ServiceUnreachable('http://192.0.2.1:8090', new Error('connect ECONNREFUSED'));

  it('writes the disk once, reboots, and logs the stages', async () => {
    const { commands, failure, notes } = await runRecorded({
      recording: [written],
      api: { reportHostProgress: () => Promise.reject(unreachable) },
    });
    expect(failure).toBeUndefined();
    expect(writes(commands)).toBe(1);
    expect(commands.at(-1)).toMatch(/^shutdown -r/);
    expect(notes).toContainEqual(
      expect.stringMatching(/^The stage "Rebooting" of host \S+ was not reported: No answer from .*ECONNREFUSED/),
    );
  });

  it('does not wait for the percentages of a written disk', async () => {
    const { commands, failure } = await runRecorded({
      recording: [written],
      api: {
        reportHostProgress: (_host, _stage, info, signal) =>
          info.endsWith('%')
            ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(unreachable)))
            : Promise.resolve(),
      },
    });
    expect(failure).toBeUndefined();
    expect(writes(commands)).toBe(1);
  });

  it('ends the attempt to send the logs after 15 minutes, and reboots', async () => {
    jest.useFakeTimers();
    let isEnded = false;
    const { commands, failure, notes } = await runRecorded({
      api: {
        reportHostLogs: (_host, _state, signal) => {
          signal.addEventListener('abort', () => (isEnded = true));
          void Promise.resolve().then(() => jest.advanceTimersByTime(15 * 60_000));
          return new Promise(() => undefined);
        },
      },
    });
    jest.useRealTimers();
    expect(failure).toBeUndefined();
    expect(isEnded).toBe(true);
    expect(commands.at(-1)).toMatch(/^shutdown -r/);
    expect(notes).toContain('The logs were not sent: they took longer than 15 minutes');
  });

  it('does not reboot the host when it is stopped meanwhile', async () => {
    const stop = new AbortController();
    const { commands } = await runRecorded({
      signal: stop.signal,
      api: {
        reportHostProgress: async (_host, stage) => {
          if (stage !== 'Rebooting') return;
          stop.abort();
          throw unreachable;
        },
      },
    });
    expect(commands.at(-1)).toMatch(/^systemctl list-units/);
  });
});

describe('an installed host whose systemd does not answer in time', () => {
  const late = 'Failed to set wall message, ignoring: Connection timed out';
  const reboot = async (program: string, lateCalls: number) => {
    let calls = 0;
    const answer = {
      get exitCode() {
        return (calls += 1) > lateCalls ? 0 : 1;
      },
      stderr: late,
    };
    const { commands, failure } = await runRecorded({ recording: [[program, answer]] });
    return { failure, last: commands.at(-1) };
  };

  it.each(['systemctl list-units', 'shutdown'])('reboots when "%s" succeeds later', async (program) => {
    const { failure, last } = await reboot(program, 11);
    expect(failure).toBeUndefined();
    expect(last).toMatch(/^shutdown -r/);
  });

  it('fails when the reboot is never scheduled', async () => {
    expect((await reboot('shutdown', Infinity)).failure).toContain(late);
  });
});

it('the reported reason does not contain the credentials in the URLs of the command and of its output', async () => {
  const mirror = 'http://me:canary1@mirror.example.com/rhcos.raw.gz';
  const { failure, notes, stages } = await runRecorded({
    flags: ['--role', 'master', '--installer-args', JSON.stringify(['--image-url', mirror])],
    recording: [
      ['coreos-installer', { exitCode: 1, stderr: "invalid proxy 'http://me:can'ary2@proxy.example.com:3128'" }],
    ],
  });
  const texts = [failure, ...notes, ...stages].join('\n');
  expect(texts).toContain('--image-url http://mirror.example.com/rhcos.raw.gz');
  expect(texts).toContain("invalid proxy 'http://proxy.example.com:3128'");
  expect(texts).not.toMatch(/can'?ary/);
});

it('an operating system for the running root is pulled three times, as an image is written to a disk three times', async () => {
  const { commands, failure } = await runRecorded({
    flags: ['--coreos-image', 'quay.io/coreos:1'],
    recording: [['ostree container image deploy', { exitCode: 1, stderr: 'connection reset by peer' }]],
  });
  expect(failure).toContain('connection reset by peer');
  expect(commands.filter((line) => line.startsWith('ostree container image deploy'))).toHaveLength(3);
  expect(commands.filter((line) => line.startsWith('ostree admin stateroot-init'))).toHaveLength(1);
});

it('an operating system for the running root is installed again after an installation that failed', async () => {
  // The folder stays on the disk, also after the host was reset or restarted. ostree refuses to make it a second time.
  const { commands, failure } = await runRecorded({
    flags: ['--coreos-image', 'quay.io/coreos:1'],
    files: { '/ostree/deploy/install': '' },
    recording: [
      ['ostree admin stateroot-init', { exitCode: 1, stderr: 'Creating ostree/deploy/install: File exists' }],
    ],
  });
  expect(failure).toBeUndefined();
  expect(commands.filter((line) => line.startsWith('ostree container image deploy'))).toHaveLength(1);
});

it('the reported reason contains the end of the output, also of a command with many arguments', async () => {
  const kernelArguments = Array.from({ length: 40 }, (_, number) => `ip=52-54-00-00-00-${number + 10}:dhcp,dhcp6`);
  const { stages } = await runRecorded({
    flags: ['--installer-args', JSON.stringify(kernelArguments.flatMap((one) => ['--append-karg', one]))],
    recording: [['coreos-installer', { exitCode: 1, stderr: `${'Read disk (1%)\n'.repeat(200)}Error: the cause` }]],
  });
  const [failed = ''] = stages.filter((stage) => stage.startsWith('Failed'));
  expect(failed).toMatch(/^Failed: "coreos-installer install --insecure -i .* ended with exit code 1: /);
  expect(failed).toMatch(/Error: the cause$/);
});
