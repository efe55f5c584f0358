import { planRamdiskNetworks, planStaticNetworks, staticNetworkProblem } from '@muster/domain';
import { manifestContentFault } from '@muster/ignition-config';
import type { DocumentTask } from './document-workers';

const task = <Args extends readonly unknown[], Result>(
  module: string,
  subject: string,
  run: (...args: Args) => Result,
): DocumentTask<Args, Result> => ({ module, subject, name: run.name, run });

const STATIC_NETWORKS = 'static_network_config';

/** Every document of a user that is read in a worker: those whose parser may need much time or memory. */
export const DOCUMENT_TASKS = {
  checkStaticNetworks: task('@muster/domain', STATIC_NETWORKS, staticNetworkProblem),
  planStaticNetworks: task('@muster/domain', STATIC_NETWORKS, planStaticNetworks),
  planRamdiskNetworks: task('@muster/domain', STATIC_NETWORKS, planRamdiskNetworks),
  checkManifest: task('@muster/ignition-config', 'content', manifestContentFault),
} as const;
