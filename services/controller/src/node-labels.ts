import { KUBE_RESOURCES, nodeOf, toKubeNode } from '@muster/host-api';
import { type Controller, INTERVALS_MS, repeat } from './controller';

const SKIPPED = ['disabled', 'error'];

/** Sets the labels that users gave hosts on their nodes, until all are set. */
export async function labelNodes(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, cluster, settings } = controller;
  const labelled = new Set<string>();
  await repeat(
    controller,
    'Labelling the nodes',
    INTERVALS_MS.nodes,
    async () => {
      const { hosts = [] } = await api.cluster(settings.clusterId, true, signal);
      const wanted = hosts.filter(({ node_labels, status }) => (node_labels ?? '') !== '' && !SKIPPED.includes(status));
      if (hosts.length > 0 && wanted.length === 0) return true;
      const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
      const open = wanted.filter(({ id }) => !labelled.has(id));
      const ready = open.flatMap((host) => {
        const node = nodeOf(host, nodes);
        return node?.isReady ? [{ host, node }] : [];
      });
      // A pool that is rolled out would reboot the workers while their pool changes.
      const pausesPool = ready.some(({ host }) => host.role === 'worker' && host.machine_config_pool_name);
      const pause = (paused: boolean): Promise<void> =>
        cluster.patch({ resource: KUBE_RESOURCES.machineConfigPools, name: 'worker' }, { spec: { paused } }, signal);
      if (pausesPool) await pause(true);
      try {
        for (const { host, node } of ready) {
          const labels = JSON.parse(host.node_labels ?? '{}') as object;
          await cluster.patch({ resource: KUBE_RESOURCES.nodes, name: node.name }, { metadata: { labels } }, signal);
          labelled.add(host.id);
        }
      } finally {
        if (pausesPool) await pause(false);
      }
      return hosts.length > 0 && labelled.size >= wanted.length;
    },
    signal,
  );
}
