import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { KUBE_RESOURCES, type ServiceApi } from '@muster/host-api';
import type { KubeObject, KubeResource } from '@muster/ports';
import { type ControllerLogEntry, INTERVALS_MS } from './controller';
import { controllerWith, kubeletRequest, refusal } from './controller.fixture.spec';
import { runController } from './run-controller';

const { signal } = new AbortController();
const NODE: KubeObject = { metadata: { name: 'a' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const OBJECTS = new Map<KubeResource, readonly KubeObject[]>([
  [KUBE_RESOURCES.nodes, [NODE]],
  [KUBE_RESOURCES.certificateSigningRequests, [kubeletRequest('csr')]],
  [KUBE_RESOURCES.configMaps, [{ metadata: { name: 'default-ingress-cert' }, data: { 'ca-bundle.crt': 'PEM' } }]],
]);

/** A service whose cluster and its only host, which runs from its disk, are in `error`. */
function failedCluster(more: Partial<ServiceApi> = {}) {
  const done: string[] = [];
  const uploads: string[] = [];
  const entries: ControllerLogEntry[] = [];
  let packing = 0;
  let status = 'error';
  let stage = 'Rebooting';
  const { changes, controller } = controllerWith(
    OBJECTS,
    {
      cluster: async () => ({
        status,
        hosts: [
          { id: 'h', status: 'error', role: 'master', requested_hostname: 'a', progress: { current_stage: stage } },
        ],
      }),
      credentials: async () => Buffer.alloc(0),
      operators: async () => [{ name: 'console', operator_type: 'builtin', status: 'available' }],
      reportHostProgress: async (_host, next) => void done.push((stage = next)),
      reportFinalizingStage: async (_cluster, next) => {
        if (stage !== 'Done') throw refusal(400);
        done.push(next);
      },
      uploadIngressCa: async () => {
        done.push('ingress CA');
        status = 'installed';
      },
      completeInstallation: async () => undefined,
      reportClusterLogs: async () => undefined,
      uploadControllerLogs: async (_cluster, archive) => {
        packing -= 1;
        const text = gunzipSync(archive).toString('latin1');
        uploads.push(text.includes('must-gather.tar.gz') ? 'diagnosis' : 'log');
      },
      ...more,
    },
    { rounds: Infinity },
  );
  const observe = (entry: ControllerLogEntry): void => void entries.push(entry);
  // The log is read, and then packed in a thread.
  const readFile = async (path: string): Promise<undefined> => {
    if (path.endsWith('.log')) packing += 1;
  };
  // Other work continues while the controller waits. Packing takes less than the shortest wait.
  const sleep = async (): Promise<void> => {
    do await setImmediate();
    while (packing > 0);
  };
  return {
    changes,
    controller: { ...controller, host: { ...controller.host, readFile }, observe, timer: { sleep } },
    done,
    ended: () => entries.filter(({ type }) => type === 'ended'),
    uploads,
    reset: () => void (status = 'insufficient'),
  };
}

describe('a controller whose cluster is in error', () => {
  it('sends its diagnosis, and continues until the cluster is installed', async () => {
    const { changes, controller, done, ended, uploads } = failedCluster();
    await runController(controller, signal);
    expect(done.slice(0, 5)).toEqual([
      'Joined',
      'Done',
      'Waiting for cluster operators',
      'Waiting for cluster operators',
      'Adding router ca',
    ]);
    expect(done).toContain('ingress CA');
    expect(changes).toContainEqual(expect.stringMatching(/^replace csr\/approval/));
    expect(uploads.slice(0, 2)).toEqual(['log', 'diagnosis']);
    expect(uploads.at(-1)).toBe('log');
    expect(ended()).toEqual([{ type: 'ended', status: 'installed' }]);
  });

  it('ends after ten hours, with one diagnosis', async () => {
    const { controller, ended, uploads } = failedCluster({ reportHostProgress: async () => undefined });
    let waitedMs = 0;
    const sleep = async (ms: number): Promise<void> => {
      // Only the status of the cluster is read at this interval.
      if (ms === INTERVALS_MS.clusterStatus) waitedMs += ms;
      await setImmediate();
    };
    await runController({ ...controller, timer: { sleep } }, signal);
    expect(waitedMs).toBe(10 * 60 * 60_000);
    expect(uploads).toEqual(['log', 'diagnosis']);
    expect(ended()).toEqual([{ type: 'ended', status: 'error' }]);
  });

  it('sends the diagnosis once more when it is installed without an operator', async () => {
    const operators = async () => [
      { name: 'console', operator_type: 'builtin', status: 'available' },
      { name: 'lso', operator_type: 'olm', status: 'failed' },
    ];
    const { controller, uploads } = failedCluster({ operators });
    await runController(controller, signal);
    expect(uploads.at(-1)).toBe('diagnosis');
  });

  it('keeps its diagnosis when the cluster is cancelled afterwards', async () => {
    const given = failedCluster({
      cluster: async () => ({ status: given.uploads.includes('diagnosis') ? 'cancelled' : 'error' }),
    });
    await runController(given.controller, signal);
    expect(given.ended()).toEqual([{ type: 'ended', status: 'cancelled' }]);
    expect(given.uploads).toEqual(['log', 'diagnosis']);
  });

  it('ends when the cluster is reset', async () => {
    const { controller, ended, reset, uploads } = failedCluster({ uploadIngressCa: async () => reset() });
    await runController(controller, signal);
    expect(uploads.slice(1)).not.toContain('log');
    expect(ended()).toEqual([{ type: 'ended', status: 'insufficient' }]);
  });

  it.each(['insufficient', 'preparing-for-installation'])(
    'ends without logs when it is cancelled, reset and %s between two polls',
    async (status) => {
      let polls = 0;
      const reported: string[] = [];
      const { controller, ended } = failedCluster({
        reportClusterLogs: async (_cluster, state) => void reported.push(state),
        cluster: async () => ({ status: (polls += 1) < 3 ? 'installing' : polls < 50 ? status : 'installed' }),
      });
      await runController(controller, signal);
      expect(ended()).toEqual([{ type: 'ended', status }]);
      expect(reported).toEqual([]);
    },
  );

  it('ends when the service does not have its cluster', async () => {
    const entries: ControllerLogEntry[] = [];
    const { controller, changes } = failedCluster({
      cluster: async () => {
        throw refusal(404);
      },
    });
    await runController({ ...controller, observe: (entry) => void entries.push(entry) }, signal);
    expect(entries).toContainEqual({ type: 'ended', status: 'unknown' });
    expect(changes).toEqual([]);
  });
});

describe('a controller whose token is refused before it is ready', () => {
  const start = (answers: (poll: number) => Error | undefined) => {
    const entries: ControllerLogEntry[] = [];
    const waitsMs: number[] = [];
    let polls = 0;
    const { controller } = controllerWith(OBJECTS, {
      cluster: async () => {
        const error = answers(++polls);
        if (error) throw error;
        return { status: 'cancelled' };
      },
      reportClusterLogs: async () => undefined,
      uploadControllerLogs: async () => undefined,
      operators: async () => [],
    });
    const sleep = async (ms: number): Promise<void> => {
      waitsMs.push(ms);
      await setImmediate();
    };
    const observe = (entry: ControllerLogEntry): void => void entries.push(entry);
    return { entries, waitsMs, run: () => runController({ ...controller, observe, timer: { sleep } }, signal) };
  };

  it.each([
    [401, 'The token has expired.'],
    [403, 'The user may not read the cluster.'],
  ])(
    'with %d polls once a minute, and fails after 70 minutes, so that its Job reads the token again',
    async (...given) => {
      const [status, reason] = given;
      const { entries, run, waitsMs } = start((poll) => (poll < 1_000 ? refusal(status, reason) : undefined));
      await expect(run()).rejects.toThrow(`refused the token of the controller for 70 minutes: ${reason}`);
      expect(waitsMs.filter((ms) => ms === INTERVALS_MS.clusterStatus)).toHaveLength(70);
      const notes = entries.filter((entry) => entry.type === 'note' && entry.text.startsWith('Reporting ready'));
      expect(notes).toHaveLength(69);
      expect(entries).not.toContainEqual(expect.objectContaining({ type: 'ended' }));
    },
  );

  it('continues when the service accepts the token again', async () => {
    const { entries, run } = start((poll) => (poll < 50 ? refusal(401) : undefined));
    await run();
    expect(entries).toContainEqual({ type: 'ready' });
  });
});

it.each([
  [401, 3],
  [403, 70],
])('ends when the service answers %d to %d successive polls, after it was ready', async (...given) => {
  const [status, refusals] = given;
  const entries: ControllerLogEntry[] = [];
  let waits = 0;
  const { controller } = failedCluster({
    cluster: async () => {
      // An accepted poll sets the count to zero.
      if (waits === 0 || waits === refusals) return { status: 'installing', hosts: [] };
      if (waits > 500) return { status: 'cancelled' };
      throw refusal(status, 'The token was refused.');
    },
  });
  const sleep = async (ms: number): Promise<void> => {
    if (ms === INTERVALS_MS.clusterStatus) waits += 1;
    await setImmediate();
  };
  const observe = (entry: ControllerLogEntry): void => void entries.push(entry);
  await runController({ ...controller, observe, timer: { sleep } }, signal);
  expect(entries.at(-1)).toEqual({ type: 'ended', status: 'unknown' });
  const text = expect.stringMatching(/^The service refused the token of the controller: The token was refused\./);
  expect(entries).toContainEqual({ type: 'note', text });
  expect(waits).toBe(2 * refusals + 1);
});

it('updates the bare-metal hosts although the service is unavailable after the controller is ready', async () => {
  let calls = 0;
  const listed: string[] = [];
  const { controller } = failedCluster({
    cluster: async () => {
      calls += 1;
      if (calls === 2) throw refusal(503);
      return { status: calls > 20 ? 'installed' : 'installing', platform: { type: 'baremetal' }, hosts: [] };
    },
  });
  const { cluster } = controller;
  const list: typeof cluster.list = (resource, ...query) => {
    listed.push(resource.plural);
    return cluster.list(resource, ...query);
  };
  await runController({ ...controller, cluster: { ...cluster, list } }, signal);
  expect(listed).toContain('baremetalhosts');
});

it('counts the reboots of a host that is done just before its cluster is installed', async () => {
  const events: string[] = [];
  const { controller } = failedCluster({ createEvent: async ({ name }) => void events.push(name) });
  const entries: ControllerLogEntry[] = [];
  let isInstalled = (): void => undefined;
  const installed = new Promise<void>((resolve) => (isInstalled = resolve));
  const observe = (entry: ControllerLogEntry): void => {
    entries.push(entry);
    if (entry.type === 'finalizing' && entry.stage === 'Done') isInstalled();
  };
  const oc = async (args: readonly string[], stopped: AbortSignal) => {
    if (!args.includes('debug')) return { exitCode: 0, output: '' };
    await installed;
    // The other work of the controller ends.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    return stopped.aborted ? { exitCode: 1, output: 'stopped' } : { exitCode: 0, output: 'reboot   system boot  a\n' };
  };
  const settings = { ...controller.settings, notifiesReboots: true };
  await runController({ ...controller, settings, observe, host: { ...controller.host, oc } }, signal);
  expect(events).toEqual(['reboots_for_node']);
  expect(entries.at(-1)).toEqual({ type: 'ended', status: 'installed' });
});
