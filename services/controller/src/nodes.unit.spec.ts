import { KUBE_RESOURCES, type ServiceCluster } from '@muster/host-api';
import type { ClusterApi, KubeResource } from '@muster/ports';
import { controllerWith, host, node, refusal } from './controller.fixture.spec';
import { followNodes, labelNodes } from './nodes';

const clusterOn = (type: string, more: Partial<ServiceCluster> = {}): ServiceCluster => ({
  status: 'installing',
  platform: { type },
  ...more,
});
const BAREMETAL = clusterOn('baremetal');

describe('the stages of hosts', () => {
  it('follow the nodes: joined, done, and configuring according to the log of the machine-config server', async () => {
    const cluster: ServiceCluster = {
      status: 'installing',
      hosts: [
        host('a', 'Rebooting'),
        host('b', 'Configuring'),
        host('w', 'Waiting for ignition', {
          role: 'worker',
          inventory: '{"interfaces":[{"ipv4_addresses":["192.0.2.12/24"]}]}',
        }),
        host('x', 'Rebooting', { inventory: '{"interfaces":[{"ipv4_addresses":["192.0.2.1/24"]}]}' }),
        host('d', 'Done', { status: 'installed' }),
      ],
    };
    const objects = new Map([
      [KUBE_RESOURCES.nodes as KubeResource, [node('a', false), node('b', true)]],
      [KUBE_RESOURCES.pods as KubeResource, [{ metadata: { name: 'mcs' } }]],
    ]);
    const { controller, signal, stages } = controllerWith(objects, { cluster: async () => cluster });
    await followNodes(controller, BAREMETAL, () => undefined, signal);
    expect(stages).toEqual(['a Joined', 'b Joined', 'b Done', 'w Configuring']);
  });
});

it('hosts are followed until all hosts but disabled ones are installed', async () => {
  const hosts = [host('a', 'Done', { status: 'installed' }), host('b', '', { status: 'disabled' })];
  const { controller, signal } = controllerWith(new Map(), { cluster: async () => ({ status: 'installing', hosts }) });
  await followNodes(controller, BAREMETAL, () => undefined, signal);
  expect(signal.aborted).toBe(false);
});

describe('the taint of a node without its cloud provider', () => {
  const taints = ['node-role.kubernetes.io/master', 'node.cloudprovider.kubernetes.io/uninitialized'];
  const tainted = { ...node('a', false), spec: { taints: taints.map((key) => ({ key })) } };
  const nodes = new Map([[KUBE_RESOURCES.nodes as KubeResource, [tainted, node('b', false)]]]);
  const change = [
    { op: 'test', path: '/spec/taints/1/key', value: taints[1] },
    { op: 'remove', path: '/spec/taints/1' },
  ];
  const removed = `patch a ${JSON.stringify(change)}`;

  it.each([
    ['vsphere', [removed]],
    ['baremetal', []],
  ])('is removed only from its own position, on the platform %s', async (platform, expected) => {
    const cluster = async (): Promise<ServiceCluster> => ({ status: 'installing', hosts: [] });
    const { changes, controller, signal } = controllerWith(nodes, { cluster });
    await followNodes(controller, clusterOn(platform), () => undefined, signal);
    expect(changes).toEqual(expected);
  });

  it('is removed, and the hosts are reported, when the cluster refuses the change of another node', async () => {
    const patched: string[] = [];
    const both = new Map([[KUBE_RESOURCES.nodes as KubeResource, [tainted, { ...tainted, metadata: { name: 'b' } }]]]);
    const patch: ClusterApi['patch'] = async ({ name }) => {
      patched.push(name);
      if (name === 'a') throw refusal(422, 'testing failed');
    };
    const { controller, notes, signal, stages } = controllerWith(
      both,
      { cluster: async (): Promise<ServiceCluster> => ({ status: 'installing', hosts: [host('b', 'Configuring')] }) },
      { patch },
    );
    await followNodes(controller, clusterOn('vsphere'), () => undefined, signal);
    expect({ patched, stages }).toEqual({ patched: ['a', 'b'], stages: ['b Joined'] });
    expect(notes).toEqual(['A taint was not removed: PUT / was answered 422: testing failed']);
  });

  describe('on vSphere', () => {
    const ACCESS = { server: 'vc.example.com', user: 'admin', password: 'secret' };
    const overridesWith = (change: Partial<typeof ACCESS>): string =>
      JSON.stringify({ platform: { vsphere: { vcenters: [{ ...ACCESS, ...change }] } } });

    it.each([
      ['a cluster that installs itself knows its vCenter', 'agent-installer', '4.15.0', overridesWith({}), []],
      ['it does not', 'agent-installer', '4.15.0', undefined, [removed]],
      ['it has placeholders', 'agent-installer', '4.15.0', overridesWith({ user: 'usernameplaceholder' }), [removed]],
      ['it has no password', 'agent-installer', '4.15.0', overridesWith({ password: '' }), [removed]],
      ['its release does not support this', 'agent-installer', '4.14.9', overridesWith({}), [removed]],
      ['a service installs it', 'assisted-service', '4.15.0', overridesWith({}), [removed]],
    ])('is left to its cloud provider only when %s', async (...given) => {
      const [, invoker, openshift_version, install_config_overrides, expected] = given;
      const maps = [{ metadata: { name: 'openshift-install-manifests' }, data: { invoker } }];
      const { changes, controller, signal } = controllerWith(
        new Map([...nodes, [KUBE_RESOURCES.configMaps as KubeResource, maps]]),
        { cluster: async (): Promise<ServiceCluster> => ({ status: 'installing', hosts: [] }) },
      );
      await followNodes(
        controller,
        clusterOn('vsphere', { openshift_version, install_config_overrides }),
        () => undefined,
        signal,
      );
      expect(changes).toEqual(expected);
    });
  });

  it('is removed while the service is unavailable', async () => {
    const cluster = (): Promise<never> => Promise.reject(new Error('no answer'));
    const { changes, controller, signal } = controllerWith(nodes, { cluster });
    await followNodes(controller, clusterOn('nutanix'), () => undefined, signal);
    expect(changes).toEqual([removed]);
  });
});

describe('the stage of a host whose reports were lost', () => {
  const nodes = new Map([[KUBE_RESOURCES.nodes as KubeResource, [node('a', true)]]]);

  it.each([
    ['', ['a Joined', 'a Done']],
    ['Writing image to disk', ['a Joined', 'a Done']],
    ['Waiting for ignition', ['a Configuring', 'a Joined', 'a Done']],
    ['Joined', ['a Done']],
    ['Done', []],
  ])('follows its ready node from "%s"', async (stage, reported) => {
    const cluster: ServiceCluster = { status: 'installing', hosts: [host('a', stage)] };
    const { controller, signal, stages } = controllerWith(nodes, { cluster: async () => cluster });
    await followNodes(controller, BAREMETAL, () => undefined, signal);
    expect(stages).toEqual(reported);
  });

  it('does not count the reboots again while the service refuses the report', async () => {
    const { controller, signal } = controllerWith(
      nodes,
      {
        cluster: async () => ({ status: 'installing', hosts: [host('a', 'Writing image to disk')] }),
        reportHostProgress: async () => {
          throw refusal(409);
        },
      },
      { rounds: 3 },
    );
    const onDone = jest.fn();
    await followNodes(controller, BAREMETAL, onDone, signal);
    expect(onDone).not.toHaveBeenCalled();
  });
});

describe('the labels of nodes', () => {
  const PAUSED = 'patch worker {"spec":{"paused":true}}';
  const RESUMED = 'patch worker {"spec":{"paused":false}}';
  const labelOf = (id: string): string => `patch ${id} {"metadata":{"labels":{"host":"${id}"}}}`;
  const labelledHost = (id: string, more: object = {}) =>
    host(id, 'Rebooting', { node_labels: `{"host":"${id}"}`, ...more });
  const IN_POOL = { role: 'worker', machine_config_pool_name: 'infra' };

  /** Each round sees the next hosts and names of ready nodes. Afterwards the controller is stopped. */
  const labelIn = async (
    rounds: readonly (readonly [hosts: ServiceCluster['hosts'], ready: readonly string[]])[],
    failures: (Error | undefined)[] = [],
    waits = rounds.length,
  ) => {
    let round = -1;
    const made = controllerWith(
      new Map(),
      { cluster: async () => ({ status: 'finalizing', hosts: rounds[++round]?.[0] }) },
      { rounds: waits, list: async () => (rounds[round]?.[1] ?? []).map((name) => node(name, true)) },
    );
    const patch: ClusterApi['patch'] = async (ref, change, stop) => {
      stop.throwIfAborted();
      const failure = ref.name === 'worker' && failures.shift();
      if (failure) throw failure;
      await made.controller.cluster.patch(ref, change, stop);
    };
    const cluster = { ...made.controller.cluster, patch };
    await labelNodes({ ...made.controller, cluster }, made.signal);
    return { changes: made.changes, notes: made.notes, rounds: round + 1 };
  };

  it('are set while the pool of workers is paused, from before the first node is ready until the last is labelled', async () => {
    const hosts = [labelledHost('a', IN_POOL), labelledHost('b', IN_POOL)];
    const { changes } = await labelIn([
      [hosts, []],
      [hosts, ['a']],
      [hosts, ['a', 'b']],
      [hosts, ['a', 'b']],
    ]);
    expect(changes).toEqual([PAUSED, labelOf('a'), labelOf('b'), RESUMED]);
  });

  it('end only after the pool is resumed', async () => {
    const hosts = [labelledHost('a', IN_POOL)];
    // The first call of each kind fails.
    const failures = [new Error('not paused'), undefined, new Error('not resumed')];
    const { changes, notes, rounds } = await labelIn(Array(5).fill([hosts, ['a']]), failures);
    expect(changes).toEqual([PAUSED, labelOf('a'), RESUMED]);
    expect(notes).toEqual([expect.stringContaining('not paused'), expect.stringContaining('not resumed')]);
    expect(rounds).toBe(3);
  });

  it.each([
    [{}, [labelOf('a')]],
    [IN_POOL, [PAUSED, labelOf('a'), RESUMED]],
  ])(
    'are set on the last ready node, also when the cluster is installed before the next round: %j',
    async (...given) => {
      const [more, expected] = given;
      const hosts = [labelledHost('a', more)];
      const { changes } = await labelIn(
        [
          [hosts, []],
          [hosts, ['a']],
        ],
        [],
        1,
      );
      expect(changes).toEqual(expected);
    },
  );

  it('leave no paused pool when the controller is stopped', async () => {
    const hosts = [labelledHost('a', IN_POOL)];
    expect((await labelIn([[hosts, []]])).changes).toEqual([PAUSED, RESUMED]);
  });

  it('are set on hosts in error too, because these can recover, but not on disabled hosts', async () => {
    const error = labelledHost('e', { status: 'error' });
    const disabled = labelledHost('d', { status: 'disabled' });
    const { changes, rounds } = await labelIn([
      [
        [labelledHost('a'), labelledHost('d'), error],
        ['a', 'd'],
      ],
      [
        [labelledHost('a'), disabled, error],
        ['a', 'd'],
      ],
      [
        [labelledHost('a'), disabled, error],
        ['a', 'd', 'e'],
      ],
      [
        [labelledHost('a'), disabled, error],
        ['a', 'd', 'e'],
      ],
    ]);
    expect(changes).toEqual(['a', 'd', 'e'].map(labelOf));
    expect(rounds).toBe(3);
  });
});
