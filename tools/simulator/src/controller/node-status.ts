import { HttpRefused, type ServiceHost } from '@muster/host-api';
import { INTERVALS_MS } from '../durations';
import { percentOf } from '../installer/host-stages';
import type { Controller } from './persist';

/** Tells the service which hosts have become nodes, until all are installed. */
export async function followNodes(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, config, observer, timer } = controller;
  while (!signal.aborted) {
    try {
      const { hosts = [] } = await api.cluster(config.clusterId, true, signal);
      const waiting = hosts.filter(({ status }) => !['installed', 'disabled'].includes(status));
      if (hosts.length > 0 && waiting.length === 0) return;
      for (const host of waiting) await reportHost(controller, host, signal);
    } catch (error) {
      if (signal.aborted) return;
      observer.onController?.(config.clusterId, `could not report nodes: ${String(error)}`);
    }
    await timer.polls.sleep(INTERVALS_MS.nodes, signal);
  }
}

const STAGES_BEFORE_JOINING = ['Rebooting', 'Configuring'];
const STAGES_BEFORE_CONFIGURING = ['Rebooting', 'Waiting for ignition'];

async function reportHost(controller: Controller, host: ServiceHost, signal: AbortSignal): Promise<void> {
  const { nodes, ignitionFetchedBy } = controller.cluster;
  const node = nodes.get(host.id);
  const stage = host.progress?.current_stage ?? '';
  const isWaiting = STAGES_BEFORE_CONFIGURING.includes(stage);
  if (node && STAGES_BEFORE_JOINING.includes(stage)) await report(controller, host, 'Joined', signal);
  if (node?.isReady && stage !== 'Done' && (stage === 'Joined' || STAGES_BEFORE_JOINING.includes(stage)))
    return report(controller, host, 'Done', signal);
  // From inside the cluster a worker's question to the config server shows like any other's.
  if (isWaiting && ignitionFetchedBy.has(host.id) && !node) return report(controller, host, 'Configuring', signal);
  if (stage === 'Waiting for ignition' && node) return report(controller, host, 'Configuring', signal);
}

async function report(controller: Controller, host: ServiceHost, stage: string, signal: AbortSignal): Promise<void> {
  const { api, observer, world } = controller;
  try {
    await api.reportHostProgress({ hostId: host.id, infraEnvId: host.infra_env_id ?? '' }, stage, '', signal);
    const { hostname, path } = world.host(host.id);
    observer.onStage?.({ hostId: host.id, hostname }, stage, percentOf(path, stage));
  } catch (error) {
    // Not the host's turn: the next round sees what it has become.
    if (!(error instanceof HttpRefused)) throw error;
  }
}
