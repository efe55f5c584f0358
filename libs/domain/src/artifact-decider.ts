import type { Artifact, ArtifactEvent, EventData, Plain } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { truncateUtf8 } from './status-reason';

/** Reasons contain the output of programs, which has any length. */
const REASON_BYTES_MAX = 8 * 1024;

/**
 * Maximum number of artifacts of one event. An append accepts 256 KiB, and the entry of a host has at most 180 characters: its name, its
 * digest and its size.
 */
export const ARTIFACTS_PER_EVENT_MAX = 1_000;

export type ArtifactsOutcome = 'none' | 'prepared' | 'failed' | 'discarded';

/** The installation artifacts of one cluster. */
export interface ArtifactsState {
  /** The last installation attempt with a recorded result. 0 before the first result. */
  readonly attempt: number;
  readonly outcome: ArtifactsOutcome;
  readonly artifacts: readonly Plain<Artifact>[];
  readonly kubeconfig: Plain<Artifact> | undefined;
  /** The first artifacts of an attempt without a result. They do not count before it is prepared. */
  readonly parts: { readonly attempt: number; readonly artifacts: readonly Plain<Artifact>[] };
}

export type ArtifactCommand =
  | ({ readonly type: 'RecordRelease' } & Plain<EventData<'ReleaseRead'>>)
  | ({ readonly type: 'RecordReleaseDownload' } & Plain<EventData<'ReleaseDownloadProgressed'>>)
  | ({ readonly type: 'RecordQueue' } & Plain<EventData<'PreparationQueued'>>)
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

const NO_PARTS: ArtifactsState['parts'] = { attempt: 0, artifacts: [] };
const NOTHING: ArtifactsState = {
  attempt: 0,
  outcome: 'none',
  artifacts: [],
  kubeconfig: undefined,
  parts: NO_PARTS,
};

/**
 * Decides on the installation artifacts of a cluster. Each installation attempt has one result. A late or repeated
 * result changes nothing. When the artifacts exceed one event, the same command stores the next ones, until the attempt has its result.
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
    case 'RecordQueue': {
      const { type: _, ...data } = command;
      return command.attempt <= state.attempt ? accepted() : accepted({ type: 'PreparationQueued', data });
    }
    case 'RecordArtifacts':
      return command.attempt <= state.attempt ? accepted() : accepted(nextPart(command, partsOf(state, command)));
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

function nextPart(
  {
    clusterId,
    attempt,
    openshiftClusterId,
    toolchain,
    artifacts,
  }: ArtifactCommand & { readonly type: 'RecordArtifacts' },
  stored: readonly Plain<Artifact>[],
): ArtifactEvent {
  // After a crash, the artifacts are created again. They may differ when a setting changed meanwhile.
  const firstOther = stored.findIndex((artifact, index) => !isSame(artifact, artifacts[index]));
  const kept = firstOther < 0 ? stored.length : firstOther;
  const rest = artifacts.slice(kept);
  if (kept === stored.length && rest.length <= ARTIFACTS_PER_EVENT_MAX)
    return { type: 'ArtifactsPrepared', data: { clusterId, attempt, openshiftClusterId, artifacts: rest, toolchain } };
  const next = rest.slice(0, ARTIFACTS_PER_EVENT_MAX);
  return { type: 'ArtifactsStored', data: { clusterId, attempt, kept, artifacts: next } };
}

const partsOf = ({ parts }: ArtifactsState, { attempt }: { readonly attempt: number }): readonly Plain<Artifact>[] =>
  parts.attempt === attempt ? parts.artifacts : [];

const isSame = (first: Plain<Artifact>, second: Plain<Artifact> | undefined): boolean =>
  first.name === second?.name && first.sealed === second.sealed && first.body?.digest === second.body?.digest;

function evolve(state: ArtifactsState, event: ArtifactEvent): ArtifactsState {
  switch (event.type) {
    case 'ReleaseRead':
    case 'ReleaseDownloadProgressed':
    case 'PreparationQueued':
      return state;
    case 'ArtifactsStored': {
      const { attempt, kept, artifacts } = event.data;
      return { ...state, parts: { attempt, artifacts: [...partsOf(state, event.data).slice(0, kept), ...artifacts] } };
    }
    case 'ArtifactsPrepared': {
      const { attempt } = event.data;
      const artifacts = [...partsOf(state, event.data), ...event.data.artifacts];
      return { ...NOTHING, attempt, outcome: 'prepared', artifacts };
    }
    case 'ArtifactsFailed':
      return { ...NOTHING, attempt: event.data.attempt, outcome: 'failed' };
    case 'IngressCaAccepted':
      return { ...state, kubeconfig: event.data.kubeconfig };
    case 'ArtifactsDiscarded':
      return { ...state, outcome: 'discarded', artifacts: [], kubeconfig: undefined };
    default:
      event satisfies never;
      return state;
  }
}
