import {
  type ClusterJourney,
  FUNNEL_STEPS,
  type FunnelStep,
  type HostJourney,
  type JourneyFailure,
  type Mark,
  MAX_JOURNEY_FAILURES,
  MAX_JOURNEY_MARKS,
  NOT_YET,
} from '@muster/assisted-api';
import type { ClusterEvent, EventData, HostEvent, InventoryEvent } from '@muster/contracts';
import { clusterOfHostAfter, mayBeBootstrap } from '@muster/domain';

/** Returns the marks with one more. The oldest are removed above the limit. */
const added = (marks: readonly Mark[], name: string, at: string): readonly Mark[] =>
  [...marks, { name, at }].slice(-MAX_JOURNEY_MARKS);

/** Returns the marks with one more, unless the last one has the same name. */
const marked = (marks: readonly Mark[], name: string, at: string): readonly Mark[] =>
  marks.at(-1)?.name === name ? marks : added(marks, name, at);

type Settings = Partial<NonNullable<EventData<'ClusterRegistered'>['settings']>>;
type Entered = EventData<'ClusterEnteredStatus'>;

/** Reasons are grouped, so longer text is cut. */
const MAX_REASON_CHARACTERS = 200;

/** Records the first time of a step. Later times are ignored. */
export function reached(journey: ClusterJourney, step: FunnelStep, at: string): ClusterJourney {
  return journey.steps[step] ? journey : { ...journey, steps: { ...journey.steps, [step]: at } };
}

/**
 * Returns the timeline of a cluster after one of its events; the same object when the event does not affect it. Day-2
 * clusters have no timeline.
 */
export function evolveClusterJourney(
  before: ClusterJourney | undefined,
  event: ClusterEvent,
  at: string,
  position: number,
): ClusterJourney | undefined {
  if (event.type === 'ClusterRegistered') return clusterRegistered(event.data, at, position);
  if (!before || before._position >= position) return before;
  const after = evolved(before, event, at);
  return after === before ? before : { ...after, _position: position };
}

function clusterRegistered(
  data: EventData<'ClusterRegistered'>,
  at: string,
  position: number,
): ClusterJourney | undefined {
  if (data.kind !== 'Cluster' || data.imported) return undefined;
  return {
    id: data.clusterId,
    user_name: data.owner?.userName ?? '',
    org_id: data.owner?.orgId ?? '',
    day: at.slice(0, 10),
    openshift_version: '',
    platform: 'baremetal',
    topology: topologyOf(3),
    ...chosen(data.settings ?? {}),
    steps: { 'cluster-created': at },
    outcome: 'open',
    statuses: marked([], data.status, at),
    finalizing_stages: [],
    attempt_finalizing_stage: '',
    failures: [],
    first_trouble: null,
    deleted: false,
    _position: position,
  };
}

const NEW_ATTEMPT = { first_trouble: null, attempt_finalizing_stage: '' } as const;

function evolved(journey: ClusterJourney, event: ClusterEvent, at: string): ClusterJourney {
  switch (event.type) {
    case 'ClusterSettingsRevised':
      return { ...journey, ...chosen(event.data.changes ?? {}) };
    case 'ClusterEnteredStatus':
      return entered({ ...journey, statuses: marked(journey.statuses, event.data.status, at) }, event.data, at);
    case 'InstallationPreparationStarted':
      return reached({ ...journey, ...NEW_ATTEMPT }, 'installation-requested', at);
    case 'InstallationPrepared':
      return reached(journey, 'installation-prepared', at);
    case 'InstallationPreparationFailed':
      return preparationFailed(journey, event.data.reason, at);
    case 'FinalizingStageReached':
      return finalizingStageReached(journey, event.data.stage, at);
    case 'ClusterReset':
      return { ...journey, ...NEW_ATTEMPT, outcome: 'open' };
    case 'ClusterDeregistered':
      return { ...journey, deleted: true };
    case 'ClusterDeadlinePassed':
      return event.data.deadline === 'retention' ? anonymous(journey) : journey;
    default:
      return journey;
  }
}

/** After the retention period only anonymous data stays: how far the installation came, but not its owner and no texts with names. */
const anonymous = (journey: ClusterJourney): ClusterJourney => ({
  ...journey,
  user_name: '',
  org_id: '',
  statuses: [],
  finalizing_stages: [],
  failures: journey.failures.map(({ reason, ...failure }) => ({
    ...failure,
    reason: failure.kind === 'preparation-failed' ? failure.kind : reason,
  })),
});

/** Each event is a new stage, also when the attempt before ended in the same stage. */
function finalizingStageReached(journey: ClusterJourney, stage: string, at: string): ClusterJourney {
  const stages = added(journey.finalizing_stages, stage, at);
  return { ...journey, finalizing_stages: stages, attempt_finalizing_stage: stage };
}

/** Transitions that end a preparation because of a host. Other failures of a preparation have an event of their own. */
const HOSTS_NOT_PREPARED: ReadonlySet<string> = new Set(['host-failed-to-prepare', 'host-stopped-preparing']);

/** The artifacts and the hosts can fail in one attempt, which counts once. */
function preparationFailed(journey: ClusterJourney, reason: string, at: string): ClusterJourney {
  const last = journey.failures.at(-1);
  const begun = journey.statuses.findLast(({ name }) => name === 'preparing-for-installation');
  if (last?.kind === 'preparation-failed' && begun && last.at >= begun.at) return journey;
  return failed(journey, { at, kind: 'preparation-failed', stage: 'preparing', reason });
}

function entered(before: ClusterJourney, { status, from, transition }: Entered, at: string): ClusterJourney {
  const journey = HOSTS_NOT_PREPARED.has(transition) ? preparationFailed(before, transition, at) : before;
  switch (status) {
    case 'ready':
      return reached(journey, 'cluster-ready', at);
    case 'installing':
      return reached(journey, 'installing', at);
    case 'finalizing':
      return reached(journey, 'finalizing', at);
    case 'installed':
      return reached({ ...journey, outcome: 'installed' }, 'installed', at);
    case 'error': {
      const stage = (from === 'finalizing' && journey.attempt_finalizing_stage) || from;
      const { first_trouble: trouble } = journey;
      return failed({ ...journey, outcome: 'failed' }, { at, kind: 'failed', stage, reason: transition, ...trouble });
    }
    case 'cancelled':
      // Cancelling a failed installation is not a second failure.
      if (from === 'error') return { ...journey, outcome: 'cancelled' };
      return failed({ ...journey, outcome: 'cancelled' }, { at, kind: 'cancelled', stage: from, reason: transition });
    default:
      return journey;
  }
}

function failed(journey: ClusterJourney, { reason, ...failure }: Omit<JourneyFailure, 'step'>): ClusterJourney {
  const step = FUNNEL_STEPS.findLast((one) => journey.steps[one]) ?? 'cluster-created';
  const failedAttempt = { ...failure, step, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
  return { ...journey, failures: [...journey.failures, failedAttempt].slice(-MAX_JOURNEY_FAILURES) };
}

/** The settings by which timelines are grouped. */
function chosen({ openshiftVersion, platformType, controlPlaneCount }: Settings): Partial<ClusterJourney> {
  return {
    ...(openshiftVersion === undefined ? {} : { openshift_version: openshiftVersion }),
    ...(platformType === undefined ? {} : { platform: platformType }),
    ...(controlPlaneCount === undefined ? {} : { topology: topologyOf(controlPlaneCount) }),
  };
}

const topologyOf = (controlPlanes: number): string =>
  controlPlanes === 1 ? 'single-node' : `${controlPlanes}-control-planes`;

const BEGUN = { statuses: [], stages: [], attempt_stage: '' } as const;

function hostRegistered(
  { hostId, clusterId, bootstrap: isBootstrap }: EventData<'HostRegistered'>,
  position: number,
): HostJourney {
  const bootstrap = isBootstrap ? position : NOT_YET;
  return {
    id: hostId,
    cluster_id: clusterId,
    bootstrap_from: bootstrap,
    inventory_from: NOT_YET,
    ...BEGUN,
    _position: position,
  };
}

/** Returns the timeline of a host after one of its events; the same object when the event does not affect it. */
export function evolveHostJourney(
  before: HostJourney | undefined,
  event: HostEvent | InventoryEvent,
  at: string,
  position: number,
): HostJourney | undefined {
  if (event.type === 'HostRegistered') return hostRegistered(event.data, position);
  if (!before) return undefined;
  switch (event.type) {
    case 'HostReregistered':
    case 'HostBound': {
      const cluster = clusterOfHostAfter(before.cluster_id, event);
      const isKept = event.type === 'HostReregistered' && event.data.inventoryKept;
      const bootstrap = isKept ? before.bootstrap_from : NOT_YET;
      return { ...before, cluster_id: cluster, bootstrap_from: bootstrap, attempt_stage: '', _position: position };
    }
    case 'HostRoleAssigned':
      return mayBeBootstrap(event.data.role) ? before : { ...before, bootstrap_from: NOT_YET, _position: position };
    case 'InventoryReported':
      return before.inventory_from === NOT_YET ? { ...before, inventory_from: position, _position: position } : before;
    case 'HostEnteredStatus':
      return { ...before, statuses: marked(before.statuses, event.data.status, at), _position: position };
    case 'HostProgressed':
      return event.data.stageChanged ? stageReached(before, event.data.stage, at, position) : before;
    case 'HostBootstrapChosen':
      return { ...before, bootstrap_from: position, _position: position };
    case 'HostReset':
      return { ...before, bootstrap_from: NOT_YET, attempt_stage: '', _position: position };
    case 'HostUnbound':
      // The timeline of its next cluster does not contain what it did in this one.
      return {
        ...before,
        cluster_id: clusterOfHostAfter(before.cluster_id, event),
        bootstrap_from: NOT_YET,
        ...BEGUN,
        _position: position,
      };
    case 'HostDeregistered':
      return { ...before, statuses: marked(before.statuses, 'deregistered', at), _position: position };
    default:
      return before;
  }
}

/** The stage is new in its attempt. The attempt before may have ended in the same stage. */
function stageReached(before: HostJourney, stage: string, at: string, position: number): HostJourney {
  const attemptStage = stage === 'Failed' ? before.attempt_stage : stage;
  return { ...before, stages: added(before.stages, stage, at), attempt_stage: attemptStage, _position: position };
}
