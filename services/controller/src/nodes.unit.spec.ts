import { KUBE_RESOURCES, type ServiceCluster } from '@muster/host-api';
import type { KubeResource } from '@muster/ports';
import { controllerWith, host, node, refusal } from './controller.fixture.spec';
import { followNodes } from './nodes';

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
    await followNodes(controller, signal);
    expect(stages).toEqual(['a Joined', 'b Joined', 'b Done', 'w Configuring']);
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
    await followNodes(controller, signal);
    expect(stages).toEqual(reported);
  });

  it('does not count the reboots again while the service refuses the report', async () => {
    let openings = 0;
    const { controller, signal } = controllerWith(
      nodes,
      {
        cluster: async () => ({ status: 'installing', hosts: [host('a', 'Writing image to disk')] }),
        reportHostProgress: async () => {
          throw refusal(409);
        },
        credentials: async () => {
          openings += 1;
          return Buffer.alloc(0);
        },
      },
      { rounds: 3 },
    );
    const settings = { ...controller.settings, notifiesReboots: true };
    await followNodes({ ...controller, settings }, signal);
    expect(openings).toBe(0);
  });
});
