import type { Method } from '@muster/nest-kit';
import { RegistrationService } from '@muster/contracts';

export interface RefusedSubject {
  /** As in the contract's list of events. */
  readonly name: string;
  readonly clusterId?: string;
  readonly infraEnvId?: string;
  readonly hostId?: string;
  /** Which of the event's properties is the reason. Default: message. */
  readonly reasonAs?: 'error' | 'message';
}

const { method } = RegistrationService;

/**
 * Commands whose refusal is recorded in the event log with its reason. What is refused to agents, and what brings a
 * host into a cluster, is recorded by the service that refuses it.
 */
const NAMES: ReadonlyMap<Method, string> = new Map<Method, string>([
  [method.cancelInstallation, 'cancel_installation_failed'],
  [method.resetCluster, 'reset_installation_failed'],
  [method.deregisterCluster, 'cluster_deregister_failed'],
  [method.resetHost, 'host_installation_reset_failed'],
  [method.deregisterInfraEnv, 'infra_env_deregister_failed'],
]);

/** The subject of a refusal of this command; undefined when it is not logged. */
export function refusedSubjectOf(order: Method, input: object): RefusedSubject | undefined {
  const name = NAMES.get(order);
  if (!name) return undefined;
  const { clusterId, infraEnvId, hostId } = input as Omit<RefusedSubject, 'name' | 'reasonAs'>;
  return { name, clusterId, infraEnvId, hostId, reasonAs: 'error' };
}
