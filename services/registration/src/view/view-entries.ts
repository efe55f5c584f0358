import type { HardwareFacts, HostKey, Plain } from '@muster/contracts';
import type { ClusterState, HostState } from '@muster/domain';
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
