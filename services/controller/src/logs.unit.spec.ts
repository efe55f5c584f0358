import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { ServiceApi } from '@muster/host-api';
import { controllerWith, refusal } from './controller.fixture.spec';
import { sendFinalLogs } from './logs';
import { runController } from './run-controller';

const OWN_LOG = 'assisted-installer-controller.logs';
const MUST_GATHER = 'must-gather.tar.gz';
const LIMIT_MS = 70 * 60_000;
const ACCEPTED = 0;
const { signal } = new AbortController();

const WITHOUT_FOLDER = () => Promise.reject(new Error('tar: /must-gather: Cannot open: No such file or directory'));

afterEach(() => jest.restoreAllMocks());

/** A service that answers each upload with the next status, and with success to ACCEPTED and after the last one. */
function serviceWith(answers: number[], more: Partial<ServiceApi> = {}) {
  const uploads: string[][] = [];
  const states: string[] = [];
  const { controller, notes } = controllerWith(
    new Map(),
    {
      credentials: async () => Buffer.alloc(0),
      reportClusterLogs: async (_cluster, state) => void states.push(state),
      uploadControllerLogs: async (_cluster, archive) => {
        const text = gunzipSync(archive).toString('latin1');
        uploads.push([OWN_LOG, MUST_GATHER].filter((name) => text.includes(name)));
        const status = answers.shift();
        if (status) throw refusal(status);
      },
      ...more,
    },
    { rounds: Infinity },
  );
  // Other work continues while the controller waits.
  return { controller: { ...controller, timer: { sleep: () => setImmediate() } }, notes, states, uploads };
}

describe('the last logs', () => {
  it.each([413, 507])('are sent without must-gather when the service answers %d', async (status) => {
    const { controller, notes, states, uploads } = serviceWith([ACCEPTED, status]);
    await sendFinalLogs(controller, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG, MUST_GATHER], [OWN_LOG]]);
    expect(notes).toEqual([expect.stringMatching(/^The diagnosis is not sent: .*/)]);
    expect(states).toEqual(['requested', 'completed']);
  });

  it('keep must-gather while the service is unavailable', async () => {
    const { controller, uploads } = serviceWith([ACCEPTED, 503]);
    await sendFinalLogs(controller, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG, MUST_GATHER], [OWN_LOG, MUST_GATHER]]);
  });

  it('are sent without must-gather when the client of the cluster does not exist', async () => {
    const { controller, notes, uploads } = serviceWith([]);
    const oc = async () => ({ exitCode: 127, output: 'oc: command not found' });
    await sendFinalLogs({ ...controller, host: { ...controller.host, archive: WITHOUT_FOLDER, oc } }, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG]]);
    expect(notes).toEqual(['must-gather failed: oc: command not found']);
  });

  it('are sent before must-gather, and again without it when it does not end', async () => {
    const { controller, notes, states, uploads } = serviceWith([]);
    const limits = new Map<number, AbortController>();
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const limit = new AbortController();
      limits.set(ms, limit);
      return limit.signal;
    });
    const oc = (_args: readonly string[], stopped: AbortSignal) =>
      new Promise<{ exitCode: number; output: string }>((resolve) => {
        expect(uploads).toEqual([[OWN_LOG]]);
        stopped.addEventListener('abort', () => resolve({ exitCode: 1, output: 'pod is pending' }));
        limits.get(50 * 60_000)?.abort();
      });
    await sendFinalLogs({ ...controller, host: { ...controller.host, archive: WITHOUT_FOLDER, oc } }, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG]]);
    expect(notes).toEqual(['must-gather failed: it did not end within 50 minutes']);
    expect(states).toEqual(['requested', 'completed']);
  });

  it('are sent with the diagnosis when the service refuses them before', async () => {
    const { controller, notes, uploads } = serviceWith([503]);
    await sendFinalLogs(controller, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG, MUST_GATHER]]);
    expect(notes).toEqual([expect.stringMatching(/^The log is sent with the diagnosis: /)]);
  });

  it('contain the folder that must-gather wrote', async () => {
    const { controller } = serviceWith([]);
    const commands: string[] = [];
    const folders: string[] = [];
    const host = {
      ...controller.host,
      oc: async (args: readonly string[]) => {
        commands.push(args.slice(1).join(' '));
        return { exitCode: 0, output: '' };
      },
      archive: async (folder: string) => {
        folders.push(folder);
        return Buffer.alloc(0);
      },
    };
    await sendFinalLogs({ ...controller, host }, true, signal);
    expect(commands).toEqual([`adm must-gather --dest-dir=${folders[0]}`]);
    expect(folders).toEqual(['/tmp/controller/must-gather']);
  });

  it.each([
    ['error', ['console', 'cnv', 'odf'], ['ocp:1', 'cnv:1', 'ocs:1']],
    ['error', [], ['ocp:1']],
    ['installed', ['cnv'], ['cnv:1']],
    ['installed', ['lvm'], ['ocp:1']],
  ])('of a cluster in %s with the failed operators %j are collected with the images %j', async (...given) => {
    const [status, failed, images] = given;
    const { controller } = serviceWith([], {
      cluster: async () => ({ status }),
      operators: async () => [
        { name: 'lso', operator_type: 'olm', status: 'available' },
        ...failed.map((name) => ({ name, operator_type: 'olm', status: 'failed' })),
      ],
    });
    let command: readonly string[] = [];
    const oc = async (args: readonly string[]) => {
      command = args;
      return { exitCode: 0, output: '' };
    };
    const mustGatherImage = JSON.stringify({ ocp: 'ocp:1', lso: 'lso:1', cnv: 'cnv:1', ocs: 'ocs:1' });
    const settings = { ...controller.settings, mustGatherImage };
    await sendFinalLogs({ ...controller, settings, host: { ...controller.host, oc } }, true, signal);
    expect(command.filter((arg) => arg.startsWith('--image'))).toEqual(images.map((image) => `--image=${image}`));
  });

  it('contain what must-gather wrote before it failed, as it does in many broken clusters', async () => {
    const { controller, notes, uploads } = serviceWith([]);
    const oc = async () => ({ exitCode: 1, output: 'gather did not start for pod must-gather-x' });
    await sendFinalLogs({ ...controller, host: { ...controller.host, oc } }, true, signal);
    expect(uploads).toEqual([[OWN_LOG], [OWN_LOG, MUST_GATHER]]);
    expect(notes).toEqual(['must-gather is not complete: gather did not start for pod must-gather-x']);
  });

  it('are given up after 70 minutes', async () => {
    const limit = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const { controller, states, uploads } = serviceWith(Array<number>(1_000).fill(507));
    const sending = sendFinalLogs(controller, false, signal);
    while (uploads.length < 3) await setImmediate();
    limit.abort();
    await sending;
    expect(uploads.length).toBeLessThan(1_000);
    expect(states).toEqual(['requested']);
    expect(timeout).toHaveBeenCalledWith(LIMIT_MS);
  });
});

describe('a controller whose cluster the service does not have', () => {
  it.each([
    [404, 'The service no longer has this cluster.'],
    [
      401,
      'The service refused the token of the controller: The token has expired. The token is no longer valid, or the cluster was deleted.',
    ],
  ])('ends without sending logs after answers of %d, and logs the reason', async (status, why) => {
    let calls = 0;
    const { controller, notes, states } = serviceWith([], {
      cluster: async () => {
        calls += 1;
        // The installation begins normally.
        if (calls <= 2) return { status: 'installing' };
        throw refusal(status, 'The token has expired.');
      },
    });
    await runController(controller, signal);
    expect(notes).toContain(why);
    expect(states).toEqual([]);
  });
});
