import { KUBE_RESOURCES } from '@muster/host-api';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import { updateBareMetalHosts } from './bare-metal-hosts';
import { controllerWith } from './controller.fixture.spec';

describe('bare-metal hosts', () => {
  const HOSTS: KubeResource = KUBE_RESOURCES.bareMetalHosts;
  const ROLE_LABEL = 'machine.openshift.io/cluster-api-machine-role';
  const machine: KubeObject = { metadata: { name: 'worker-0', labels: { [ROLE_LABEL]: 'worker' } } };

  it('get a machine and are no longer paused in a cluster that provisions hosts', async () => {
    const objects = new Map<KubeResource, readonly KubeObject[]>([
      [KUBE_RESOURCES.bareMetalHosts, [{ metadata: { name: 'h' } }]],
      [KUBE_RESOURCES.machines, [machine]],
      [KUBE_RESOURCES.provisionings, [{ metadata: { name: 'provisioning-configuration' } }]],
    ]);
    const { changes, controller, signal } = controllerWith(objects, {});
    await updateBareMetalHosts(controller, signal);
    expect(changes).toEqual([
      'patch h {"metadata":{"annotations":{"baremetalhost.metal3.io/paused":null}},"spec":{"externallyProvisioned":true,"consumerRef":{"apiVersion":"machine.openshift.io/v1beta1","kind":"Machine","name":"worker-0","namespace":"openshift-machine-api"}}}',
    ]);
  });

  it('get only a machine of a worker that no other host has', async () => {
    const master = { metadata: { name: 'master-0', labels: { [ROLE_LABEL]: 'master' } } };
    const taken = { metadata: { name: 'worker-1', labels: { [ROLE_LABEL]: 'worker' } } };
    const objects = new Map<KubeResource, readonly KubeObject[]>([
      [HOSTS, [{ metadata: { name: 'h' } }, { metadata: { name: 'i' }, spec: { consumerRef: { name: 'worker-1' } } }]],
      [KUBE_RESOURCES.machines, [master, taken, machine]],
    ]);
    const { changes, controller, signal } = controllerWith(objects, {});
    await updateBareMetalHosts(controller, signal);
    expect(changes).toEqual([expect.stringMatching(/^patch h .*"name":"worker-0"/)]);
  });

  it('are updated after one that has no machine yet', async () => {
    const consumerRef = { name: 'master-0' };
    const objects = new Map<KubeResource, readonly KubeObject[]>([
      [
        KUBE_RESOURCES.bareMetalHosts,
        [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, spec: { consumerRef } }],
      ],
      [KUBE_RESOURCES.provisionings, [{ metadata: { name: 'provisioning-configuration' } }]],
    ]);
    const { changes, controller, notes, signal } = controllerWith(objects, {}, { rounds: 2 });
    await updateBareMetalHosts(controller, signal);
    expect(changes).toEqual(Array(2).fill(expect.stringMatching(/^patch b .*paused":null.*"name":"master-0"/)));
    expect(notes).toEqual(
      Array(2).fill('Updating the bare-metal hosts failed: The bare-metal host a has no machine yet.'),
    );
  });

  describe('of other clusters', () => {
    const annotations = { 'baremetalhost.metal3.io/status': '{"poweredOn":true,"hardware":{"hostname":"h"}}' };
    const WITHOUT_ANNOTATION = 'patch h {"metadata":{"annotations":{"baremetalhost.metal3.io/status":null}}';

    it.each(['{"poweredOn":tr', 'null', '[]'])('keep an annotation that is no status: %j', async (text) => {
      const broken = { metadata: { name: 'h', annotations: { 'baremetalhost.metal3.io/status': text } } };
      const objects = new Map<KubeResource, readonly KubeObject[]>([
        [HOSTS, [broken, { metadata: { name: 'i' } }]],
        [KUBE_RESOURCES.machines, [machine]],
      ]);
      const { changes, controller, notes, signal } = controllerWith(objects, {});
      await updateBareMetalHosts(controller, signal);
      expect(changes).toEqual([expect.stringMatching(/^patch i .*"name":"worker-0"/)]);
      expect(notes).toEqual([
        'Updating the bare-metal hosts failed: The annotation baremetalhost.metal3.io/status of the bare-metal host h is not a JSON object.',
      ]);
    });

    it('get their status from the annotation, with the members that the resource requires', async () => {
      const host = { metadata: { name: 'h', annotations }, spec: { consumerRef: { name: 'worker-0' } } };
      const { changes, controller, notes, signal } = controllerWith(new Map([[HOSTS, [host]]]), {});
      await updateBareMetalHosts(controller, signal);
      const [, status = ''] = /^replace h\/status (.*)$/.exec(changes[0] ?? '') ?? [];
      expect(JSON.parse(status)).toEqual({
        errorCount: 0,
        errorMessage: '',
        hardware: { hostname: 'h' },
        hardwareProfile: '',
        lastUpdated: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
        operationHistory: {},
        operationalStatus: '',
        poweredOn: true,
        provisioning: { ID: '', state: '' },
      });
      expect(changes[1]).toMatch(WITHOUT_ANNOTATION);
      expect(notes).toEqual([]);
    });

    it('get a machine that is created later than their status is set', async () => {
      let host: KubeObject = { metadata: { name: 'h', annotations } };
      let machines: readonly KubeObject[] = [];
      const list: ClusterApi['list'] = async ({ plural }) =>
        plural === 'baremetalhosts' ? [host] : plural === 'machines' ? machines : [];
      const { changes, controller, notes, signal } = controllerWith(new Map(), {}, { list, rounds: 2 });
      const sleep: typeof controller.timer.sleep = (...waiting) => {
        host = { metadata: { name: 'h', annotations: {} } };
        machines = [machine];
        return controller.timer.sleep(...waiting);
      };
      await updateBareMetalHosts({ ...controller, timer: { sleep } }, signal);
      expect(changes).toEqual([
        expect.stringMatching(/^replace h\/status /),
        `${WITHOUT_ANNOTATION}}`,
        expect.stringMatching(/^patch h .*"consumerRef":.*"name":"worker-0"/),
      ]);
      expect(notes).toEqual(['Updating the bare-metal hosts failed: The bare-metal host h has no machine yet.']);
    });
  });

  it('are updated when the cluster has them later than their kind', async () => {
    let created: readonly KubeObject[] = [];
    const list: ClusterApi['list'] = async ({ plural }) => {
      const found = plural === 'baremetalhosts' ? created : [];
      created = [{ metadata: { name: 'h', annotations: { 'baremetalhost.metal3.io/status': '{}' } } }];
      return found;
    };
    const { changes, controller, signal } = controllerWith(new Map(), {}, { list, rounds: 3 });
    await updateBareMetalHosts(controller, signal);
    expect(changes[0]).toMatch(/^replace h\/status /);
  });

  it('are updated when the cluster creates them between two rounds, until a round finds no further ones', async () => {
    const created = ['a', 'b'].map((name) => ({ metadata: { name }, spec: { consumerRef: { name: `of-${name}` } } }));
    let rounds = 0;
    const list: ClusterApi['list'] = async ({ plural }) =>
      plural === 'baremetalhosts' ? created.slice(0, (rounds += 1)) : [];
    const provisionings = [{ metadata: { name: 'provisioning-configuration' } }];
    const objects = new Map<KubeResource, readonly KubeObject[]>([[KUBE_RESOURCES.provisionings, provisionings]]);
    const { changes, controller, signal } = controllerWith(objects, {}, { list, rounds: 10 });
    await updateBareMetalHosts(controller, signal);
    expect(changes.map((change) => change.slice(0, 'patch a'.length))).toEqual([
      'patch a',
      'patch a',
      'patch b',
      'patch a',
      'patch b',
    ]);
    expect(rounds).toBe(3);
  });
});
