import type { ConnectivityGroupChange, EventData, Plain, ValidationEvent } from '@muster/contracts';
import { accepted, type Decider } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import {
  type ClusterConditions,
  isSameOutcome,
  type Histories,
  type HostConditions,
  INITIAL_CLUSTER_OUTCOMES,
  initialHostConditions,
  initialHostOutcomes,
  nextHistory,
  type Outcome,
  type Outcomes,
  sharedOutcome,
} from '@muster/validation-rules';
import isEqual from 'fast-deep-equal';

/** Network → ids of the hosts that reach each other in it, sorted. */
export type Groups = ReadonlyMap<string, readonly string[]>;

/** Returns the hosts that joined and left in each network. A new network is listed even when its group is empty. */
export function diffGroups(before: Groups, after: Groups): Plain<ConnectivityGroupChange>[] {
  const changes: Plain<ConnectivityGroupChange>[] = [];
  for (const network of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(network) ?? [], after.get(network) ?? []];
    if (before.has(network) && isSame(old, now)) continue;
    const [wasIn, isIn] = [new Set(old), new Set(now)];
    const joinedHostIds = now.filter((id) => !wasIn.has(id));
    const leftHostIds = old.filter((id) => !isIn.has(id));
    if (joinedHostIds.length + leftHostIds.length > 0 || !before.has(network))
      changes.push({ network, joinedHostIds, leftHostIds });
  }
  return changes;
}

/**
 * Maximum number of hosts that the groups of one event name. An append accepts 256 KiB, and the id of a host has 39 characters with its
 * punctuation.
 */
const GROUP_HOSTS_MAX = 4_000;

type GroupChange = Plain<ConnectivityGroupChange>;

/** Returns the changes of the first networks that fit into one event, or a part of those of the first network. */
function fitting(changes: readonly GroupChange[]): readonly GroupChange[] {
  let hosts = 0;
  const end = changes.findIndex(({ joinedHostIds, leftHostIds }) => {
    hosts += joinedHostIds.length + leftHostIds.length;
    return hosts > GROUP_HOSTS_MAX;
  });
  if (end < 0) return changes;
  return end === 0 ? changes.slice(0, 1).map(firstPart) : changes.slice(0, end);
}

function firstPart({ network, joinedHostIds, leftHostIds }: GroupChange): GroupChange {
  const joined = joinedHostIds.slice(0, GROUP_HOSTS_MAX);
  return { network, joinedHostIds: joined, leftHostIds: leftHostIds.slice(0, GROUP_HOSTS_MAX - joined.length) };
}

/** Both are sorted. */
const isSame = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((id, at) => id === after[at]);

export function applyGroupChanges(
  before: Groups,
  { connectivityGroups }: Pick<EventData<'ClusterOutcomesChanged'>, 'connectivityGroups'>,
): Groups {
  if (!connectivityGroups) return before;
  const after = new Map(before);
  for (const { network, joinedHostIds, leftHostIds } of connectivityGroups.groups) {
    const left = new Set(leftHostIds);
    after.set(network, [...(before.get(network) ?? []).filter((id) => !left.has(id)), ...joinedHostIds].sort());
  }
  return after;
}

/** The state of the stream of one host or cluster. Initial outcomes and conditions are not included. */
export interface RecordedOutcomes {
  readonly outcomes: Outcomes;
  readonly histories: Histories;
  /** Undefined: the initial conditions. */
  readonly conditions: HostConditions | ClusterConditions | undefined;
  /** Generation of the evaluated host. 0 for clusters. */
  readonly generation: number;
  /** The cluster for which a host was evaluated. Empty for clusters and hosts that are not bound. */
  readonly clusterId: string;
  /** The connectivity groups of a cluster. Empty for hosts. */
  readonly groups: Groups;
}

/** The generation and cluster of a host for which its outcomes were recorded. */
export type Scope = Pick<RecordedOutcomes, 'generation' | 'clusterId'>;

/** Clusters have no generation. */
export const CLUSTER_SCOPE: Scope = { generation: 0, clusterId: '' };

export const NO_OUTCOMES: RecordedOutcomes = {
  outcomes: new Map(),
  histories: new Map(),
  conditions: undefined,
  ...CLUSTER_SCOPE,
  groups: new Map(),
};

export type OutcomeCommand =
  | {
      readonly type: 'EvaluateHost';
      readonly hostKey: string;
      readonly generation: number;
      readonly clusterId: string;
      readonly outcomes: readonly Outcome[];
      readonly conditions: HostConditions;
      /** RFC 3339. */
      readonly at: string;
    }
  | {
      readonly type: 'EvaluateCluster';
      readonly clusterId: string;
      readonly outcomes: readonly Outcome[];
      readonly conditions: ClusterConditions;
      /** The conditions that follow from the settings while the cluster has no hosts. */
      readonly conditionsWithoutHosts: ClusterConditions;
      /** Empty without any report of connectivity. */
      readonly groups: Groups;
      /** RFC 3339. */
      readonly at: string;
    };

/**
 * Stores the outcomes and conditions that differ from the recorded ones, and nothing when they are equal. When the changes of the groups
 * do not fit into one event, the same command stores the next ones.
 */
export const outcomeDecider: Decider<RecordedOutcomes, OutcomeCommand, ValidationEvent, ProblemCode> = {
  initialState: () => NO_OUTCOMES,
  evolve: (recorded, event) => {
    switch (event.type) {
      case 'HostOutcomesChanged':
        return evolveHost(recorded, event.data);
      case 'ClusterOutcomesChanged':
        return {
          ...recorded,
          ...withChanges(recorded, INITIAL_CLUSTER_OUTCOMES, event.data),
          conditions: event.data.conditions ?? recorded.conditions,
          groups: applyGroupChanges(recorded.groups, event.data),
        };
      default:
        return event satisfies never;
    }
  },
  decide: (command, recorded) => {
    switch (command.type) {
      case 'EvaluateHost':
        return decideHost(command, recorded);
      case 'EvaluateCluster':
        return decideCluster(command, recorded);
      default:
        return command satisfies never;
    }
  },
};

function decideHost(
  {
    hostKey,
    generation,
    clusterId,
    outcomes,
    conditions: found,
    at,
  }: OutcomeCommand & { readonly type: 'EvaluateHost' },
  recorded: RecordedOutcomes,
): ReturnType<typeof outcomeDecider.decide> {
  // Another replica may have newer data.
  if (generation < recorded.generation) return accepted();
  const reset = isReset(recorded, { generation, clusterId });
  const before = reset ? NO_OUTCOMES : recorded;
  const changed = changedOutcomes(before.outcomes, initialHostOutcomes(clusterId !== ''), outcomes);
  const known = before.conditions ?? initialHostConditions(clusterId !== '');
  const conditions = isEqual(known, found) ? undefined : found;
  const isUnchanged = changed.length === 0 && conditions === undefined;
  if (isUnchanged && (!reset || isInitial(recorded))) return accepted();
  return accepted<ValidationEvent>({
    type: 'HostOutcomesChanged',
    data: { hostKey, changed, conditions, generation, clusterId, reset, at },
  });
}

function decideCluster(
  command: OutcomeCommand & { readonly type: 'EvaluateCluster' },
  recorded: RecordedOutcomes,
): ReturnType<typeof outcomeDecider.decide> {
  const { clusterId, outcomes, conditions: found, conditionsWithoutHosts, at } = command;
  const changed = changedOutcomes(recorded.outcomes, INITIAL_CLUSTER_OUTCOMES, outcomes);
  const conditions = isEqual(recorded.conditions ?? conditionsWithoutHosts, found) ? undefined : found;
  const groups = [...fitting(diffGroups(recorded.groups, command.groups))];
  if (changed.length === 0 && conditions === undefined && groups.length === 0) return accepted();
  return accepted<ValidationEvent>({
    type: 'ClusterOutcomesChanged',
    data: { clusterId, changed, conditions, connectivityGroups: groups.length > 0 ? { groups } : undefined, at },
  });
}

/** Returns the recorded outcomes, and none when they were recorded for another generation or cluster of the host. */
export const outcomesIn = (recorded: RecordedOutcomes, scope: Scope): RecordedOutcomes =>
  isReset(recorded, scope) ? NO_OUTCOMES : recorded;

const isReset = (recorded: RecordedOutcomes, { generation, clusterId }: Scope): boolean =>
  generation !== recorded.generation || clusterId !== recorded.clusterId;

const isInitial = ({ outcomes, conditions }: RecordedOutcomes): boolean =>
  outcomes.size === 0 && conditions === undefined;

const changedOutcomes = (before: Outcomes, initial: Outcomes, found: readonly Outcome[]): Outcome[] =>
  found.filter((outcome) => {
    const old = before.get(outcome.id) ?? initial.get(outcome.id);
    return !old || !isSameOutcome(old, outcome) || !isEqual(old.flapping, outcome.flapping);
  });

function evolveHost(recorded: RecordedOutcomes, data: EventData<'HostOutcomesChanged'>): RecordedOutcomes {
  const { generation, clusterId, conditions, reset } = data;
  const before = reset ? NO_OUTCOMES : recorded;
  return {
    ...before,
    ...withChanges(before, initialHostOutcomes(clusterId !== ''), data),
    conditions: conditions ?? before.conditions,
    generation,
    clusterId,
  };
}

function withChanges(
  before: Pick<RecordedOutcomes, 'outcomes' | 'histories'>,
  initial: Outcomes,
  { changed, at }: { readonly changed: readonly Outcome[]; readonly at: string },
): Pick<RecordedOutcomes, 'outcomes' | 'histories'> {
  const outcomes = new Map(before.outcomes);
  const histories = new Map(before.histories);
  for (const outcome of changed) {
    const old = before.outcomes.get(outcome.id) ?? initial.get(outcome.id);
    outcomes.set(outcome.id, sharedOutcome(outcome));
    if (old) histories.set(outcome.id, nextHistory(histories.get(outcome.id), old, outcome, at));
  }
  return { outcomes, histories };
}
