import { setImmediate } from 'node:timers/promises';
import { KUBE_RESOURCES } from '@muster/host-api';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import { BadControllerSettings, readControllerSettings } from './controller';
import { controllerWith, host, kubeletRequest, node, refusal, SETTINGS } from './controller.fixture.spec';
import { resolveDnsConflict } from './dns-conflict';
import { approveCertificates, countReboots, labelNodes, rebootCounts } from './nodes';
import { toOperatorStatus } from './operators';

describe('the settings of the controller', () => {
  it('are read from the environment of its Job, the token from its file', () => {
    const settings = readControllerSettings(
      { ...SETTINGS, CONTROL_PLANE_COUNT: '1', CHECK_CLUSTER_VERSION: 'true' },
      (path) => (path.endsWith('/token') ? 'secret\n' : undefined),
    );
    expect(settings).toMatchObject({
      clusterId: 'c',
      controlPlaneCount: 1,
      checksClusterVersion: true,
      token: 'secret',
    });
  });

  it.each([
    [{ INVENTORY_URL: 'x' }, /CLUSTER_ID is not set/],
    [{ ...SETTINGS, CONTROL_PLANE_COUNT: '0' }, /CONTROL_PLANE_COUNT is "0"/],
    [{ ...SETTINGS, SKIP_CERT_VERIFICATION: 'maybe' }, /SKIP_CERT_VERIFICATION is "maybe". Allowed: true, false/],
    [{ ...SETTINGS, CA_CERT_PATH: '/none' }, /\/none, which cannot be read/],
  ])('are refused when they are %j', (environment, reason) => {
    const read = () => readControllerSettings(environment, () => undefined);
    expect(read).toThrow(BadControllerSettings);
    expect(read).toThrow(reason);
  });
});

describe('the reboots of a node', () => {
  const count = async (answers: readonly { exitCode: number; output: string }[]) => {
    const events: (string | undefined)[] = [];
    const { controller, notes } = controllerWith(new Map(), {
      credentials: async () => Buffer.from('kubeconfig'),
      createEvent: async ({ message }) => void events.push(message),
    });
    let tries = 0;
    const oc = async () => answers[Math.min(tries++, answers.length - 1)] ?? { exitCode: 0, output: '' };
    const { signal } = new AbortController();
    await countReboots({ ...controller, host: { ...controller.host, oc } }, host('h', 'Done'), 'node-1', signal);
    return { events, notes, tries };
  };

  it('are counted when the node can be entered', async () => {
    const output = 'reboot   system boot  a\nreboot   system boot  b\n\nwtmp begins\n';
    expect(
      await count([
        { exitCode: 1, output: 'not yet' },
        { exitCode: 0, output },
      ]),
    ).toEqual({
      events: ['Node node-1 has been rebooted 2 times before completing installation'],
      notes: [],
      tries: 2,
    });
  });

  it('are counted on eight nodes at one time, because each oc takes memory of the control plane', async () => {
    const counted: (string | undefined)[] = [];
    const { controller, notes } = controllerWith(new Map(), {
      credentials: async () => Buffer.from('kubeconfig'),
      createEvent: async ({ host_id }) => void counted.push(host_id),
    });
    let [running, most] = [0, 0];
    const oc = async () => {
      most = Math.max(most, ++running);
      await setImmediate();
      running -= 1;
      return { exitCode: 0, output: 'reboot   system boot  a\n' };
    };
    const countOf = rebootCounts({ ...controller, host: { ...controller.host, oc } }, new AbortController().signal);
    const ids = Array.from({ length: 100 }, (_, index) => `h${index}`);
    await Promise.all(ids.map((id) => countOf(host(id, 'Done'), id)));
    expect({ most, notes, counted: counted.toSorted() }).toEqual({ most: 8, notes: [], counted: ids.toSorted() });
  });

  it('are reported as not counted after ten tries', async () => {
    expect(await count([{ exitCode: 127, output: 'oc: command not found' }])).toEqual({
      events: [],
      notes: ['The reboots of node-1 were not counted: oc: command not found'],
      tries: 10,
    });
  });
});

describe('certificate requests', () => {
  it('are approved while they are neither approved nor denied', async () => {
    const request = (name: string, type?: string): KubeObject => ({
      ...kubeletRequest(name),
      status: type ? { conditions: [{ type, status: 'True' }] } : {},
    });
    const objects = new Map([
      [
        KUBE_RESOURCES.certificateSigningRequests as KubeResource,
        [request('new'), request('old', 'Approved'), request('bad', 'Denied')],
      ],
    ]);
    const { changes, controller, signal } = controllerWith(objects, {});
    await approveCertificates(controller, signal);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatch(/^replace new\/approval .*"type":"Approved".*"reason":"NodeCSRApprove"/);
  });

  it('are not approved when they are for another signer, also with the kubeconfig of an administrator', async () => {
    const request = (signerName: string): KubeObject => ({ metadata: { name: signerName }, spec: { signerName } });
    const signers = ['kube-apiserver-client', 'kubelet-serving', 'legacy-unknown', 'kube-apiserver-client-kubelet'];
    const requests = signers.map((name) => request(`kubernetes.io/${name}`));
    const objects = new Map([[KUBE_RESOURCES.certificateSigningRequests as KubeResource, requests]]);
    const { changes, controller, notes, signal } = controllerWith(objects, {});
    await approveCertificates(controller, signal);
    expect(changes.map((change) => change.split(' ')[1])).toEqual([
      'kubernetes.io/kubelet-serving/approval',
      'kubernetes.io/kube-apiserver-client-kubelet/approval',
    ]);
    expect(notes).toEqual([]);
  });

  it('are approved after one that the controller may not approve', async () => {
    const approved: string[] = [];
    const requests = ['foreign', 'kubelet'].map(kubeletRequest);
    const objects = new Map([[KUBE_RESOURCES.certificateSigningRequests as KubeResource, requests]]);
    const { controller, notes, signal } = controllerWith(
      objects,
      {},
      {
        replace: async ({ name }) => {
          if (name === 'foreign') throw refusal(403, 'cannot approve this signer');
          approved.push(name);
        },
      },
    );
    await approveCertificates(controller, signal);
    expect(approved).toEqual(['kubelet']);
    expect(notes).toEqual([expect.stringMatching(/^The certificate request foreign was not approved: .*signer/)]);
  });
});

describe('a service that uses the address of the name server', () => {
  const service = (name: string, clusterIP = '172.30.0.10'): KubeObject => ({
    metadata: { name },
    spec: { clusterIP },
  });
  const clusterWith = (network: string): [KubeResource, readonly KubeObject[]] => [
    KUBE_RESOURCES.configMaps,
    [
      {
        metadata: { name: 'cluster-config-v1' },
        data: { 'install-config': `networking: { serviceNetwork: ["${network}"] }` },
      },
    ],
  ];
  const objects = new Map([clusterWith('172.30.0.0/16')]);

  it.each([
    ['172.30.0.128/25', '172.30.0.138'],
    ['fd02::/112', 'fd02::a'],
    ['FD02:0:0::0/112', 'fd02::a'],
    ['2001:db8:0:0:0:0:0:0/108', '2001:db8::a'],
  ])('is the one with address number 10 of the network %s', async (network, address) => {
    const services = [service('next', '2001:db8::b'), service('other', address)];
    const { changes, controller, signal } = controllerWith(
      new Map([clusterWith(network), [KUBE_RESOURCES.services, services]]),
      {},
    );
    await resolveDnsConflict(controller, signal);
    expect(changes).toEqual(['delete other', 'delete all pods in openshift-dns-operator']);
  });

  it('is deleted also when it has the name of the name server in another namespace', async () => {
    const own = { ...service('dns-default'), metadata: { name: 'dns-default', namespace: 'mine' } };
    const services = new Map([...objects, [KUBE_RESOURCES.services as KubeResource, [own]]]);
    const { changes, controller, signal } = controllerWith(services, {});
    await resolveDnsConflict(controller, signal);
    expect(changes[0]).toBe('delete dns-default');
  });

  it('is deleted once, and the operator of the name server is restarted, also when its API fails first', async () => {
    let services = [service('other')];
    let tries = 0;
    const { changes, controller, notes, signal } = controllerWith(objects, {}, { rounds: 4 });
    const cluster: ClusterApi = {
      ...controller.cluster,
      list: async (resource) => (resource === KUBE_RESOURCES.services ? services : []),
      delete: async (ref, stop) => {
        services = [];
        return controller.cluster.delete(ref, stop);
      },
      deleteAll: async (...request) => {
        if (++tries === 1) throw refusal(503, 'not yet');
        return controller.cluster.deleteAll(...request);
      },
    };
    await resolveDnsConflict({ ...controller, cluster }, signal);
    expect(changes).toEqual(['delete other', 'delete all pods in openshift-dns-operator']);
    expect(notes).toEqual([expect.stringMatching(/^The address of the name server was not freed: .*not yet/)]);
  });
});

describe('labels of nodes', () => {
  it('are set while the worker pool is paused', async () => {
    const worker = host('w', 'Done', {
      role: 'worker',
      node_labels: '{"zone":"a"}',
      machine_config_pool_name: 'infra',
    });
    const objects = new Map([[KUBE_RESOURCES.nodes as KubeResource, [node('w', true)]]]);
    const { changes, controller, signal } = controllerWith(objects, {
      cluster: async () => ({ status: 'finalizing', hosts: [worker] }),
    });
    await labelNodes(controller, signal);
    expect(changes).toEqual([
      'patch worker {"spec":{"paused":true}}',
      'patch w {"metadata":{"labels":{"zone":"a"}}}',
      'patch worker {"spec":{"paused":false}}',
    ]);
  });
});

describe('labels that the cluster refuses', () => {
  it('are logged, and the labels of the other nodes are set', async () => {
    const hosts = [
      host('a', 'Done', { node_labels: '{"a b":""}' }),
      host('b', 'Done', { node_labels: '{"zone":"b"}' }),
    ];
    const objects = new Map([[KUBE_RESOURCES.nodes as KubeResource, [node('a', true), node('b', true)]]]);
    const { changes, controller, notes, signal } = controllerWith(objects, {
      cluster: async () => ({ status: 'finalizing', hosts }),
    });
    const cluster: ClusterApi = {
      ...controller.cluster,
      patch: async (...request) => {
        if (request[0].name === 'a') throw refusal(422, 'the label is not valid');
        return controller.cluster.patch(...request);
      },
    };
    await labelNodes({ ...controller, cluster }, signal);
    expect(changes).toEqual(['patch b {"metadata":{"labels":{"zone":"b"}}}']);
    expect(notes).toEqual([expect.stringMatching(/^The node a was not labelled: .*the label is not valid/)]);
  });
});

describe('the status of an operator', () => {
  const operator = (...conditions: [string, string][]): KubeObject => ({
    metadata: { name: 'console' },
    status: { conditions: conditions.map(([type, status]) => ({ type, status, message: `${type}=${status}` })) },
  });

  it.each([
    [operator(['Available', 'True'], ['Progressing', 'True']), 'available'],
    [operator(['Progressing', 'True'], ['Available', 'True']), 'progressing'],
    [operator(['Available', 'False']), 'failed'],
    [operator(['Degraded', 'True']), 'failed'],
    [operator(['Upgradeable', 'True']), 'progressing'],
  ])('of %j is %s', (object, status) => {
    expect(toOperatorStatus(object).status).toBe(status);
  });
});
