import type { HardwareFacts, HostKey, Plain, RecordedMusterEvent } from '@muster/contracts';
import type { EntryShape } from '@muster/decision';
import type { ClusterState, HostState, InfraEnvState } from '@muster/domain';
import type { ClusterConditions, HostConditions, Outcomes } from '@muster/validation-rules';

/** A host in the view of the reactions: its state and the reports about it. */
export interface HostEntry {
  readonly key: HostKey;
  state: HostState;
  hardware?: Plain<HardwareFacts>;
  /** Undefined until the host was evaluated in its present generation. */
  conditions?: HostConditions;
  /** Recorded outcomes by rule id. */
  outcomes: Outcomes;
  measuredDisks: string[];
  checkedImages: string[];
  /** Tang servers in the ignition of the installed cluster (day-2), as JSON array text. */
  tangServers?: string;
  /** The last event of the host, which is the cause of the next command. */
  cause: Cause;
}

export interface ClusterEntry {
  readonly id: string;
  state: ClusterState;
  /** Undefined: the conditions are derived from the settings. */
  conditions?: ClusterConditions;
  /** Recorded outcomes by rule id. */
  outcomes: Outcomes;
  readonly hostKeys: ReadonlySet<HostKey>;
  /** Result of the last preparation of artifacts. */
  artifacts?: { readonly attempt: number; readonly openshiftClusterId: string; readonly failure?: string };
  /** Parts of the release, once it was read. */
  releaseImages?: { readonly machineConfigOperator: string; readonly mustGather: string };
  hasKubeconfig: boolean;
  /** The last cancellation, reset or deletion, while it may not have been propagated to all hosts. */
  propagated?: PropagatedCommand;
  cause: Cause;
}

export interface InfraEnvEntry {
  readonly state: InfraEnvState;
}

export const HOSTS: EntryShape = { name: 'hosts', fields: ['cluster_id', 'infra_env_id'] };
export const CLUSTERS: EntryShape = { name: 'clusters', fields: [] };
export const INFRA_ENVS: EntryShape = { name: 'infra_envs', fields: ['cluster_id'] };

/** A command on a cluster that is propagated to its hosts. */
export interface PropagatedCommand {
  readonly kind: 'cancelled' | 'reset' | 'deregistered';
  /**
   * Id of the command on the cluster. The ids of the commands on hosts are derived from it, so that a repetition
   * changes nothing.
   */
  readonly commandId: string;
  readonly correlationId: string;
  readonly at: string;
}

export interface Cause {
  readonly causationId: string;
  readonly correlationId: string;
}

export const isPropagated = (eventType: string): boolean => PROPAGATED[eventType] !== undefined;

export const PROPAGATED: { readonly [type: string]: PropagatedCommand['kind'] | undefined } = {
  InstallationCancelled: 'cancelled',
  ClusterReset: 'reset',
  ClusterDeregistered: 'deregistered',
};

export const causeOf = ({ id, metadata }: RecordedMusterEvent): Cause => ({
  causationId: id,
  correlationId: metadata.correlationId,
});

/** Outcomes from before a reset are ignored: the hosts must be evaluated again before the cluster can be ready. */
export const unmet = (conditions: ClusterEntry['conditions']): ClusterEntry['conditions'] =>
  conditions && { ...conditions, requiredPassed: false };
