import { CONTROL_PLANE_LABEL, type ServiceHost } from '@muster/host-api';
import { ClusterApiError, type KubeObject } from '@muster/ports';
import { runRecorded } from '../recorded-host.fixture.spec';

const CONFIG = 'machineconfiguration.openshift.io/currentConfig';
const DESIRED = 'machineconfiguration.openshift.io/desiredConfig';
const worker = (stage: string, status = 'installing-in-progress'): ServiceHost => ({
  id: 'w',
  status,
  role: 'worker',
  requested_hostname: 'worker-1',
  progress: { current_stage: stage },
});
/** The host and its bootstrap, which has ended. */
const BOOTSTRAP: Parameters<typeof runRecorded>[0] = {
  flags: ['--role', 'bootstrap', '--control-plane-count', '3'],
  recording: [
    ['hostname', 'node-1\n'],
    ['systemctl is-active progress.service', 'inactive\n'],
  ],
  files: { '/usr/bin/oc': '', '/opt/openshift/auth/kubeconfig': 'kubeconfig', '/opt/openshift/.bootkube.done': '' },
};
const nodes = ['a', 'b'].map((name): KubeObject => ({
  metadata: {
    name,
    labels: { [CONTROL_PLANE_LABEL]: '' },
    annotations: { [CONFIG]: 'rendered', [DESIRED]: 'rendered' },
  },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
}));

describe('the bootstrap host of a cluster that its own hosts install', () => {
  /** Returns how often the workers were read before the host reboots. `failures`: of the API of the cluster. */
  const follow = async (
    invoker: string,
    failures: number,
    first: ServiceHost = worker('Waiting for control plane'),
    reported: string[] = [],
  ): Promise<number> => {
    let failed = 0;
    let polls = 0;
    const { failure, stages } = await runRecorded({
      ...BOOTSTRAP,
      api: {
        hostsOfRole: async () => {
          polls += 1;
          return [polls < 3 ? first : worker('Rebooting')];
        },
      },
      cluster: {
        get: async ({ name }) => {
          if (name !== 'openshift-install-manifests') return { metadata: { name } };
          if (++failed <= failures) throw new ClusterApiError(0, 'The API of the cluster does not answer.');
          return { metadata: { name }, data: { invoker } };
        },
        list: async ({ plural }) =>
          plural === 'nodes' ? nodes : [{ metadata: { name: 'AssistedControllerIsReady' } }],
      },
    });
    expect(failure).toBeUndefined();
    expect(stages.at(-1)).toBe('Rebooting');
    reported.push(...stages);
    return polls;
  };

  it.each(['', 'Starting installation', 'Installing', 'Writing image to disk', 'Waiting for control plane'])(
    'waits while a worker is in the stage "%s", because it needs the service on this host',
    async (stage) => expect(await follow('agent-installer', 0, worker(stage))).toBe(3),
  );

  it.each(['Starting installation', 'Installing', 'Writing image to disk', 'Waiting for control plane'])(
    'does not wait for a worker in error in the stage "%s", because its installer is stopped',
    async (stage) => expect(await follow('agent-installer', 0, worker(stage, 'error'))).toBe(1),
  );

  it('reports once which workers it waits for', async () => {
    const reported: string[] = [];
    await follow('agent-installer', 0, worker('Installing'), reported);
    expect(reported.filter((stage) => stage.includes('worker-1'))).toEqual([
      'Waiting for controller: waiting for the reboot of worker-1',
    ]);
  });

  it('waits also when the API of the cluster does not answer for some time', async () => {
    expect(await follow('agent-installer', 2)).toBe(3);
  });

  it('does not wait when the service runs elsewhere', async () => {
    expect(await follow('assisted-service', 2)).toBe(0);
  });
});

it.each([
  ['agent-installer', 'secret', 0],
  ['agent-installer', 'passwordplaceholder', 1],
  ['assisted-service', 'secret', 1],
])(
  'the taint of vSphere nodes is left to their cloud provider: %s, password %s',
  async (invoker, password, expected) => {
    const [first] = nodes;
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized' }];
    let removed = 0;
    const { failure } = await runRecorded({
      ...BOOTSTRAP,
      api: {
        cluster: async () => ({
          status: 'installing',
          hosts: [],
          platform: { type: 'vsphere' },
          openshift_version: '4.20.1',
          install_config_overrides: JSON.stringify({
            platform: { vsphere: { vcenters: [{ server: 'vc.example.com', user: 'admin', password }] } },
          }),
        }),
      },
      cluster: {
        get: async ({ name }) => ({
          metadata: { name },
          data: { invoker, 'install-config': 'controlPlane: { replicas: 3 }\nplatform: { vsphere: {} }' },
        }),
        list: async ({ plural }) =>
          plural === 'nodes'
            ? [...nodes, { ...first, metadata: { ...first?.metadata, name: 'c' }, spec: { taints } }]
            : [{ metadata: { name: 'AssistedControllerIsReady' } }],
        patch: async () => void (removed += 1),
      },
    });
    expect({ failure, removed }).toEqual({ failure: undefined, removed: expected });
  },
);

it('a node whose taint cannot be removed does not delay the reports of the nodes that joined', async () => {
  const [first] = nodes;
  const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized' }];
  const joined: string[] = [];
  let refusals = 0;
  const { failure, notes } = await runRecorded({
    ...BOOTSTRAP,
    api: {
      cluster: async () => ({ status: 'installing', hosts: [{ id: 'host-a', status: '', requested_hostname: 'a' }] }),
      reportHostProgress: async ({ hostId }, stage) => {
        if (stage === 'Joined' && refusals < 3) joined.push(hostId);
      },
    },
    cluster: {
      get: async ({ name }) => ({ metadata: { name }, data: { 'install-config': 'platform: { nutanix: {} }' } }),
      list: async ({ plural }) =>
        plural === 'nodes'
          ? [...nodes, { ...first, metadata: { ...first?.metadata, name: 'c' }, spec: { taints } }]
          : [{ metadata: { name: 'AssistedControllerIsReady' } }],
      patch: async () => {
        if (++refusals <= 3) throw new ClusterApiError(422, 'The node has changed.');
      },
    },
  });
  expect({ failure, joined, refusals }).toEqual({ failure: undefined, joined: ['host-a'], refusals: 4 });
  expect(notes.join()).toContain('The node has changed.');
});

it.each([
  [['2026-01-02T03:04:05Z', '2026-01-02T03:09:05Z', '2026-01-02T03:05:05Z'], 'controller-1'],
  [['2026-01-02T03:04:05Z'], 'controller-0'],
])('the logs of the newest pod of the controller are sent: %j', async (times, expected) => {
  const pods = times.map((creationTimestamp, index): KubeObject => ({
    metadata: { name: `controller-${index}`, creationTimestamp },
  }));
  const read: string[] = [];
  const { failure } = await runRecorded({
    ...BOOTSTRAP,
    api: { uploadControllerLogs: async () => undefined },
    cluster: {
      list: async ({ plural }) => {
        if (plural === 'nodes') return nodes;
        if (plural === 'pods') return pods;
        return read.length > 0 ? [{ metadata: { name: 'AssistedControllerIsReady' } }] : [];
      },
      get: async ({ name }) => ({ metadata: { name }, data: { invoker: 'assisted-service' } }),
      podLog: async ({ name }) => {
        read.push(name);
        return '';
      },
    },
  });
  expect(failure).toBeUndefined();
  expect(new Set(read)).toEqual(new Set([expected]));
});

it.each([
  ['controlPlane: { replicas: 2 }', 1],
  ['controlPlane: { replicas: 3 }', 2],
  ['controlPlane: { replicas: 5 }', 2],
  ['', 2],
])('waits for all nodes of the control plane but the bootstrap host, at most two: "%s"', async (config, required) => {
  const seen: number[] = [];
  const { failure } = await runRecorded({
    ...BOOTSTRAP,
    cluster: {
      get: async ({ name }) => ({ metadata: { name }, data: { 'install-config': config } }),
      list: async ({ plural }, { labelSelector }) => {
        if (plural !== 'nodes') return [{ metadata: { name: 'AssistedControllerIsReady' } }];
        if (labelSelector) return nodes;
        // One node is ready more at each poll.
        seen.push(seen.length);
        return Array.from({ length: seen.length - 1 }, (_, index) => ({
          ...nodes[0],
          metadata: { ...nodes[0]?.metadata, name: `node-${index}` },
        }));
      },
    },
  });
  expect({ failure, required: seen.at(-1) }).toEqual({ failure: undefined, required });
});
