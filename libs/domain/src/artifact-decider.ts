import type { Artifact, ArtifactEvent, EventData, Plain } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { truncateUtf8 } from './status-reason';

/** Reasons contain the output of programs, which has any length. */
const REASON_BYTES_MAX = 8 * 1024;

export type ArtifactsOutcome = 'none' | 'prepared' | 'failed' | 'discarded';

/** The installation artifacts of one cluster. */
export interface ArtifactsState {
  /** The last installation attempt with a recorded result. 0 before the first result. */
  readonly attempt: number;
  readonly outcome: ArtifactsOutcome;
  readonly artifacts: readonly Plain<Artifact>[];
  readonly kubeconfig: Plain<Artifact> | undefined;
}

export type ArtifactCommand =
  | ({ readonly type: 'RecordRelease' } & Plain<EventData<'ReleaseRead'>>)
  | ({ readonly type: 'RecordReleaseDownload' } & Plain<EventData<'ReleaseDownloadProgressed'>>)
  | {
      readonly type: 'RecordArtifacts';
      readonly clusterId: string;
      readonly attempt: number;
      readonly openshiftClusterId: string;
      readonly artifacts: readonly Plain<Artifact>[];
      readonly toolchain: string;
    }
  | {
      readonly type: 'RecordArtifactsFailure';
      readonly clusterId: string;
      readonly attempt: number;
      readonly reason: string;
    }
  | { readonly type: 'AcceptIngressCa'; readonly clusterId: string; readonly kubeconfig: Plain<Artifact> }
  | { readonly type: 'DiscardArtifacts'; readonly clusterId: string; readonly upToAttempt: number };

const NOTHING: ArtifactsState = { attempt: 0, outcome: 'none', artifacts: [], kubeconfig: undefined };

/**
 * Decides on the installation artifacts of a cluster. Each installation attempt has one result. A late or repeated
 * result changes nothing.
 */
export const artifactDecider: Decider<ArtifactsState, ArtifactCommand, ArtifactEvent, ProblemCode> = {
  initialState: () => NOTHING,
  evolve,
  decide,
};

function decide(command: ArtifactCommand, state: ArtifactsState): Decision<ArtifactEvent, ProblemCode> {
  switch (command.type) {
    case 'RecordRelease': {
      const { type: _, ...data } = command;
      return command.attempt <= state.attempt ? accepted() : accepted({ type: 'ReleaseRead', data });
    }
    case 'RecordReleaseDownload': {
      const { type: _, ...data } = command;
      return command.attempt <= state.attempt ? accepted() : accepted({ type: 'ReleaseDownloadProgressed', data });
    }
    case 'RecordArtifacts': {
      const { clusterId, attempt, openshiftClusterId, toolchain } = command;
      if (attempt <= state.attempt) return accepted();
      const artifacts = [...command.artifacts];
      return accepted({
        type: 'ArtifactsPrepared',
        data: { clusterId, attempt, openshiftClusterId, artifacts, toolchain },
      });
    }
    case 'RecordArtifactsFailure': {
      const { clusterId, attempt, reason } = command;
      if (attempt <= state.attempt) return accepted();
      return accepted({
        type: 'ArtifactsFailed',
        data: { clusterId, attempt, reason: truncateUtf8(reason, REASON_BYTES_MAX) },
      });
    }
    case 'AcceptIngressCa': {
      const { clusterId, kubeconfig } = command;
      if (state.kubeconfig) return accepted();
      if (state.outcome === 'prepared') return accepted({ type: 'IngressCaAccepted', data: { clusterId, kubeconfig } });
      return refused({
        code: 'not-ready',
        reason:
          'The cluster has no kubeconfig to add the ingress CA to, because its installation artifacts were not prepared.',
        subject: 'cluster_id',
      });
    }
    case 'DiscardArtifacts':
      if (state.outcome !== 'prepared' || state.attempt > command.upToAttempt) return accepted();
      return accepted({ type: 'ArtifactsDiscarded', data: { clusterId: command.clusterId } });
    default:
      return command satisfies never;
  }
}

function evolve(state: ArtifactsState, event: ArtifactEvent): ArtifactsState {
  switch (event.type) {
    case 'ReleaseRead':
    case 'ReleaseDownloadProgressed':
      return state;
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
    default:
      event satisfies never;
      return state;
  }
}
