import { setImmediate } from 'node:timers/promises';
import { CONTROL_PLANE_LABEL, HttpRefused, KUBE_RESOURCES, ServiceUnreachable } from '@muster/host-api';
import type { KubeObject, KubeResource } from '@muster/ports';
import { type ControllerLogEntry, INTERVALS_MS } from './controller';
import { controllerWith, kubeletRequest } from './controller.fixture.spec';
import { runController } from './run-controller';

const NODE_KUBECONFIG =
  '/host/etc/kubernetes/static-pod-resources/kube-apiserver-certs/secrets/node-kubeconfigs/localhost.kubeconfig';
const NO_OBJECTS: readonly KubeObject[] = [];
const NO_ANSWER: Error = new ServiceUnreachable('http://192.0.2.1:8090', new Error('no answer'));

describe('a controller whose service does not answer any more', () => {
  const condition = (type: string, status = 'True') => ({ status: { conditions: [{ type, status }] } });
  /** Runs the controller of a cluster with one node. The service answers the given number of polls. */
  const runWith = async (
    answers: number,
    invoker: string,
    version: object,
    node: object,
    {
      config = '',
      failures = 0,
      manifests = {},
      names = ['a'],
      rounds = 50,
      subscriptions = NO_OBJECTS,
      failure = NO_ANSWER,
    } = {},
  ) => {
    const applied: string[] = [];
    const entries: ControllerLogEntry[] = [];
    let calls = 0;
    let polls = 0;
    const {
      changes,
      controller,
      signal: ending,
    } = controllerWith(
      new Map<KubeResource, readonly KubeObject[]>([
        [
          KUBE_RESOURCES.configMaps,
          [
            { metadata: { name: 'openshift-install-manifests' }, data: { invoker } },
            { metadata: { name: 'cluster-config-v1' }, data: { 'install-config': config } },
            { metadata: { name: 'olm-operator-manifests' }, data: manifests },
          ],
        ],
        [KUBE_RESOURCES.clusterVersions, [{ metadata: { name: 'version' }, ...version }]],
        [
          KUBE_RESOURCES.nodes,
          names.map((name) => ({ metadata: { name, labels: { [CONTROL_PLANE_LABEL]: '' } }, ...node })),
        ],
        [KUBE_RESOURCES.certificateSigningRequests, [kubeletRequest('csr')]],
        [KUBE_RESOURCES.subscriptions, subscriptions],
        [KUBE_RESOURCES.clusterServiceVersions, [{ metadata: { name: 'lvms.v4' } }]],
      ]),
      {
        cluster: async () => {
          if (++calls > failures && calls <= answers) return { status: 'installing' };
          throw failure;
        },
        reportClusterLogs: () => Promise.reject(new Error('no answer')),
      },
      { rounds },
    );
    const { sleep } = controller.timer;
    await runController(
      {
        ...controller,
        settings: { ...controller.settings, controlPlaneCount: 1 },
        host: {
          ...controller.host,
          readFile: async (path) => (path === NODE_KUBECONFIG ? Buffer.from('kubeconfig of the node') : undefined),
          writeTemporary: async (name, content) => `/tmp/${name}: ${content.toString()}`,
          oc: async (args) => {
            applied.push(args.join(' '));
            const isFirst = applied.filter((line) => line === applied.at(-1)).length === 1;
            return args.at(-1)?.includes('Second') && isFirst
              ? { exitCode: 1, output: 'no matches for kind "Second"' }
              : { exitCode: 0, output: '' };
          },
        },
        observe: (entry) => void entries.push(entry),
        timer: {
          sleep: async (ms, stop) => {
            // Only the status of the cluster is read at this interval.
            if (ms === INTERVALS_MS.clusterStatus) polls += 1;
            await Promise.all([setImmediate(), sleep(ms, stop)]);
          },
        },
      },
      ending,
    );
    return {
      applied,
      approved: changes.some((change) => change.startsWith('replace csr/approval')),
      untainted: changes.some((change) => change.startsWith('patch a') && change.includes('remove')),
      entries,
      ended: entries.filter(({ type }) => type === 'ended'),
      polls,
      isReady: entries.some(({ type }) => type === 'ready'),
    };
  };
  const TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';
  const ENDED = [{ type: 'ended', status: 'installed-without-service' }];

  it('ends when its hosts installed the cluster themselves, and it is complete', async () => {
    const { approved, ended } = await runWith(3, 'agent-installer', condition('Available'), condition('Ready'));
    expect(approved).toBe(true);
    expect(ended).toEqual(ENDED);
  });

  it('ends also when the service ended before the controller started', async () => {
    const { approved, ended } = await runWith(0, 'agent-installer', condition('Available'), condition('Ready'));
    expect(approved).toBe(false);
    expect(ended).toEqual(ENDED);
  });

  describe('behind a proxy', () => {
    const failureWith = (body: string): Error =>
      new HttpRefused({ method: 'GET', path: '/' }, { status: 503, body: Buffer.from(body) });
    const cluster = ['agent-installer', condition('Available'), condition('Ready')] as const;

    it.each([0, 3])('ends when the proxy fails in its place, after %i answers', async (answers) => {
      expect((await runWith(answers, ...cluster, { failure: failureWith('<html>') })).ended).toEqual(ENDED);
    });

    it('approves certificates when the proxy fails in its place from the start', async () => {
      const incomplete = condition('Available', 'False');
      const { approved } = await runWith(0, 'agent-installer', incomplete, condition('Ready'), {
        failure: failureWith('<html>'),
      });
      expect(approved).toBe(true);
    });

    it.each([0, 3])('continues while the service itself fails, after %i answers', async (answers) => {
      const failure = failureWith('{"kind":"Error","code":"503","reason":"Busy."}');
      expect((await runWith(answers, ...cluster, { failure })).ended).toEqual([]);
    });
  });

  it('approves certificates when the service ended before the controller started, because its host joins only then', async () => {
    const joining = { ...condition('Ready', 'False'), spec: { taints: [{ key: TAINT }] } };
    const incomplete = condition('Available', 'False');
    const { approved, isReady, untainted } = await runWith(0, 'agent-installer', incomplete, joining, {
      config: 'platform: { vsphere: {} }',
    });
    expect({ approved, isReady, untainted }).toEqual({ approved: true, isReady: false, untainted: true });
    expect(
      (await runWith(0, 'agent-installer', incomplete, joining, { config: 'platform: { none: {} }' })).untainted,
    ).toBe(false);
    expect(
      (await runWith(0, 'assisted-installer', incomplete, joining, { config: 'platform: { vsphere: {} }' })).approved,
    ).toBe(false);
  });

  it.each([
    ['vc.example.com', false],
    ['vcenterplaceholder', true],
    ['', true],
  ])(
    'removes the taints of vSphere nodes with the vCenter "%s" in the config of the cluster: %s',
    async (server, is) => {
      const joining = { ...condition('Ready', 'False'), spec: { taints: [{ key: TAINT }] } };
      const config = `platform: { vsphere: { vcenters: [{ server: '${server}', user: '', password: '' }] } }`;
      const { untainted } = await runWith(0, 'agent-installer', condition('Available', 'False'), joining, { config });
      expect(untainted).toBe(is);
    },
  );

  describe('and whose last worker has not joined', () => {
    const config = 'controlPlane: { replicas: 1 }\ncompute: [{ name: worker, replicas: 2 }]';
    const cluster = ['agent-installer', condition('Available'), condition('Ready')] as const;
    const runWithNodes = (names: string[], rounds: number) => runWith(3, ...cluster, { config, names, rounds });

    it('continues to approve certificates', async () => {
      const { approved, ended } = await runWithNodes(['a', 'w1'], 100);
      expect({ approved, ended }).toEqual({ approved: true, ended: [] });
      expect((await runWithNodes(['a', 'w1', 'w2'], 100)).ended).toEqual(ENDED);
    });

    it('counts the arbiter among its nodes', async () => {
      const withArbiter = `arbiter: { replicas: 1 }\n${config}`;
      const endsWith = (...names: string[]) => runWith(3, ...cluster, { config: withArbiter, names });
      expect((await endsWith('a', 'w1', 'w2')).ended).toEqual([]);
      expect((await endsWith('a', 'w1', 'w2', 'x')).ended).toEqual(ENDED);
    });

    it('ends after ten hours', async () => {
      const { ended, polls } = await runWithNodes(['a', 'w1'], Infinity);
      expect(ended).toEqual(ENDED);
      // After each of the 600 polls but the last, it waits for a minute.
      expect(polls).toBe(599);
    });
  });

  describe('and whose operators have manifests', () => {
    const cluster = ['agent-installer', condition('Available'), condition('Ready')] as const;
    const manifests = {
      'lvm.metadata.yaml': JSON.stringify({
        namespace: 'openshift-storage',
        subscriptionName: 'lvms',
        manifests: ['lvm-01.yaml', 'lvm-02.yaml'],
      }),
      'lvm-01.yaml': Buffer.from('kind: First').toString('base64'),
      'lvm-02.yaml': Buffer.from('kind: Second').toString('base64'),
    };
    const installed = [{ metadata: { name: 'lvms' }, status: { installedCSV: 'lvms.v4' } }];
    const apply = (file: string): string =>
      `--kubeconfig=/tmp/kubeconfig: kubeconfig of the node apply -f /tmp/${file}`;
    const [first, second] = [apply('lvm-01.yaml: kind: First'), apply('lvm-02.yaml: kind: Second')];

    it.each([0, 3])('applies them before it ends, when the service answered %i times', async (answers) => {
      const { applied, ended } = await runWith(answers, ...cluster, { manifests, subscriptions: installed });
      expect(applied).toEqual([first, second, first, second]);
      expect(ended).toEqual(ENDED);
    });

    it('waits for the operators at most ten hours', async () => {
      const { applied, ended, polls } = await runWith(3, ...cluster, { manifests, rounds: Infinity });
      expect({ applied, ended, polls }).toEqual({ applied: [], ended: ENDED, polls: 599 });
    });
  });

  it('reports that it is ready when the service answers later', async () => {
    const { entries } = await runWith(1_000, 'agent-installer', condition('Available', 'False'), condition('Ready'), {
      failures: 2,
    });
    expect(entries.filter(({ type }) => type === 'ready')).toHaveLength(1);
  });

  it.each([
    ['assisted-installer', condition('Available'), condition('Ready')],
    ['agent-installer', condition('Available', 'False'), condition('Ready')],
    ['agent-installer', condition('Available'), condition('Ready', 'False')],
  ])('continues for the invoker %s, the version %j and the node %j', async (...cluster) => {
    expect((await runWith(3, ...cluster)).ended).toEqual([]);
    expect((await runWith(0, ...cluster)).ended).toEqual([]);
  });
});
