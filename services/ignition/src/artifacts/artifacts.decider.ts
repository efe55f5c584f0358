import type { Artifact, IgnitionEvent, Plain } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

export type ArtifactsOutcome = 'none' | 'prepared' | 'failed' | 'discarded';

/** What exists for a cluster. */
export interface ArtifactsState {
  /** The last attempt that was answered; 0 before the first. */
  readonly attempt: number;
  readonly outcome: ArtifactsOutcome;
  readonly artifacts: readonly Plain<Artifact>[];
  readonly kubeconfig: Plain<Artifact> | undefined;
}

export type ArtifactsCommand =
  | {
      readonly type: 'RecordArtifacts';
      readonly clusterId: string;
      readonly attempt: number;
      readonly openshiftClusterId: string;
      readonly artifacts: readonly Plain<Artifact>[];
      readonly toolchain: string;
    }
  | { readonly type: 'RecordFailure'; readonly clusterId: string; readonly attempt: number; readonly reason: string }
  | { readonly type: 'AcceptIngressCa'; readonly clusterId: string; readonly kubeconfig: Plain<Artifact> }
  | { readonly type: 'Discard'; readonly clusterId: string; readonly upToAttempt: number };

const NOTHING: ArtifactsState = { attempt: 0, outcome: 'none', artifacts: [], kubeconfig: undefined };

/** An attempt is answered once; an answer that comes late or twice changes nothing. */
export const artifactsDecider: Decider<ArtifactsState, ArtifactsCommand, IgnitionEvent, ProblemCode> = {
  initialState: () => NOTHING,
  evolve,
  decide,
};

function decide(command: ArtifactsCommand, state: ArtifactsState): Decision<IgnitionEvent, ProblemCode> {
  switch (command.type) {
    case 'RecordArtifacts': {
      const { clusterId, attempt, openshiftClusterId, toolchain } = command;
      if (attempt <= state.attempt) return accepted();
      const artifacts = [...command.artifacts];
      return accepted({
        type: 'ArtifactsPrepared',
        data: { clusterId, attempt, openshiftClusterId, artifacts, toolchain },
      });
    }
    case 'RecordFailure': {
      const { clusterId, attempt, reason } = command;
      if (attempt <= state.attempt) return accepted();
      return accepted({ type: 'ArtifactsFailed', data: { clusterId, attempt, reason } });
    }
    case 'AcceptIngressCa': {
      const { clusterId, kubeconfig } = command;
      if (state.kubeconfig) return accepted();
      if (state.outcome === 'prepared') return accepted({ type: 'IngressCaAccepted', data: { clusterId, kubeconfig } });
      return refused({
        code: 'not-ready',
        reason: 'The cluster has no credentials that the ingress certificate could be added to: nothing was prepared.',
        subject: 'cluster_id',
      });
    }
    case 'Discard':
      if (state.outcome !== 'prepared' || state.attempt > command.upToAttempt) return accepted();
      return accepted({ type: 'ArtifactsDiscarded', data: { clusterId: command.clusterId } });
    default:
      return command satisfies never;
  }
}

function evolve(state: ArtifactsState, event: IgnitionEvent): ArtifactsState {
  switch (event.type) {
    case 'ArtifactsPrepared': {
      const { attempt, artifacts } = event.data;
      return { attempt, outcome: 'prepared', artifacts, kubeconfig: undefined };
    }
    case 'ArtifactsFailed':
      return { attempt: event.data.attempt, outcome: 'failed', artifacts: [], kubeconfig: undefined };
    case 'IngressCaAccepted':
      return { ...state, kubeconfig: event.data.kubeconfig };
    case 'ArtifactsDiscarded':
      return { ...state, outcome: 'discarded', artifacts: [], kubeconfig: undefined };
    case 'ManifestStored':
    case 'ManifestRemoved':
      return state;
    default:
      event satisfies never;
      return state;
  }
}
