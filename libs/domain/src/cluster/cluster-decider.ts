import type { ClusterEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import { indexRows } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { ClusterCommand, ClusterCommandType } from './cluster-commands';
import { clusterDeadlines, type DueClusterDeadline } from './cluster-deadlines';
import { CLUSTER_EFFECTS, type EffectContext } from './cluster-effects';
import { evolveCluster } from './cluster-evolve';
import { clusterInputRefusal } from './cluster-input';
import { INSTALLING_STATUSES } from './rows/phases';
import { CLUSTER_REFUSALS } from './cluster-refusals';
import type { ClusterRefusal, ClusterTransition, ClusterVariables } from './cluster-row';
import { type ClusterState, initialClusterState } from './cluster-state';
import type { ClusterPhase } from './cluster-status';
import { type ClusterTimeouts, DEFAULT_CLUSTER_TIMEOUTS } from './cluster-timeouts';
import { CLUSTER_TRANSITIONS } from './cluster-transitions';
import { evaluateGuards } from './cluster-guards';
import { toRefusal, renderStatusInfo } from './cluster-messages';

const selectTransition = indexRows<ClusterPhase, ClusterCommandType, ClusterVariables, ClusterTransition>(
  CLUSTER_TRANSITIONS,
);
const selectRefusal = indexRows<ClusterPhase, ClusterCommandType, ClusterVariables, ClusterRefusal>(CLUSTER_REFUSALS);

/** What an operator of the service may choose. */
export interface ClusterDeciderSettings {
  readonly timeouts: ClusterTimeouts;
  /** CHECK_CLUSTER_VERSION: wait for the cluster version operator too. */
  readonly monitorsClusterVersion: boolean;
}

export const DEFAULT_CLUSTER_DECIDER_SETTINGS: ClusterDeciderSettings = {
  timeouts: DEFAULT_CLUSTER_TIMEOUTS,
  monitorsClusterVersion: false,
};

/** One row may open the way to the next, and nobody else would ask again. No status comes twice, as a test shows. */
const MAX_REFRESH_ROUNDS = 4;
const isInstalling = (status: string): boolean => (INSTALLING_STATUSES as readonly string[]).includes(status);

/**
 * What follows from a command. Input of a person is looked at first, then the one row of the tables that applies. A
 * command that changes nothing is accepted without events.
 */
export function decideCluster(
  command: ClusterCommand,
  state: ClusterState,
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): Decision<ClusterEvent, ProblemCode> {
  const invalid = clusterInputRefusal(command, state);
  return invalid ? refused(invalid) : decideByTable(command, state, settings, 1);
}

/** The one row that applies: a transition, a refusal, or (a gap in the tables, which a test rules out) none. */
export function clusterRowFor(
  command: ClusterCommand,
  state: ClusterState,
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): { readonly transition?: ClusterTransition; readonly refusal?: ClusterRefusal; readonly due?: DueClusterDeadline } {
  const due = dueDeadline(command, state, settings);
  const values = evaluateGuards(state, command, { monitorsClusterVersion: settings.monitorsClusterVersion, due });
  const transition = selectTransition(state.status, command.type, values);
  return transition ? { transition, due } : { refusal: selectRefusal(state.status, command.type, values), due };
}

function decideByTable(
  command: ClusterCommand,
  state: ClusterState,
  settings: ClusterDeciderSettings,
  round: number,
): Decision<ClusterEvent, ProblemCode> {
  const { transition, refusal, due } = clusterRowFor(command, state, settings);
  if (!transition) {
    if (!refusal) throw new Error(`No row for ${command.type} in ${state.status}: the tables have a gap.`);
    return refused(toRefusal(refusal, state, command));
  }
  const events = eventsOf(transition, { state, command, due, ...settings });
  const after = events.reduce(evolveCluster, state);
  const goesOn = command.type === 'Refresh' && after.status !== state.status && isInstalling(after.status);
  const next = goesOn && round < MAX_REFRESH_ROUNDS ? decideByTable(command, after, settings, round + 1) : undefined;
  return accepted(...events, ...(next?.kind === 'accepted' ? next.events : []));
}

export function createClusterDecider(
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): Decider<ClusterState, ClusterCommand, ClusterEvent, ProblemCode> {
  return {
    initialState: initialClusterState,
    evolve: evolveCluster,
    decide: (command, state) => decideCluster(command, state, settings),
  };
}

/** With the default timeouts. */
export const clusterDecider = createClusterDecider();

/** A timer that fires for a state that has moved on, or too early, has nothing to say. */
function dueDeadline(
  command: ClusterCommand,
  state: ClusterState,
  { timeouts }: ClusterDeciderSettings,
): DueClusterDeadline | undefined {
  if (command.type !== 'PassDeadline') return undefined;
  return clusterDeadlines(state, { timeouts, softTimeouts: command.softTimeouts }).find(
    ({ name, atMs }) => name === command.deadline && atMs <= Date.parse(command.at),
  );
}

function eventsOf(row: ClusterTransition, base: Omit<EffectContext, 'entered'>): readonly ClusterEvent[] {
  const { state, command, due } = base;
  const info = row.info === undefined ? state.statusInfo : renderStatusInfo(row.info, state, command, due);
  const origin = { ...base, entered: { status: row.to, info } };
  const effects = (row.then ?? []).flatMap((name) => CLUSTER_EFFECTS[name](origin));
  // The first and the last fact of a stream say the status themselves.
  if (row.on === 'Register' || row.on === 'Deregister') return effects;
  if (row.to !== 'stay' && row.to !== state.status)
    return [
      ...effects,
      {
        type: 'ClusterEnteredStatus',
        data: {
          status: row.to,
          from: state.status,
          statusInfo: info,
          transition: row.id,
          at: command.at,
          deadline: due?.name ?? '',
        },
      },
    ];
  if (info !== state.statusInfo) return [...effects, { type: 'ClusterStatusExplained', data: { statusInfo: info } }];
  return effects;
}
