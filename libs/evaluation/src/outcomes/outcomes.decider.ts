import isEqual from 'fast-deep-equal';
import type { ValidationEvent } from '@muster/contracts';
import { accepted, type Decider } from '@muster/decision';
import { applyGroupChanges, diffGroups, type Groups } from './group-changes';
import {
  applyOutcomeChanges,
  type ClusterConditions,
  diffOutcomes,
  type HostConditions,
  type Outcome,
} from '@muster/validation-rules';
import type { ProblemCode } from '@muster/problems';

/** The last verdict on one host or cluster. */
export interface RecordedOutcomes {
  readonly outcomes: readonly Outcome[];
  readonly conditions: HostConditions | ClusterConditions | undefined;
  /** Of the host that was judged; 0 for clusters. */
  readonly epoch: number;
  /** Network → ids of the hosts that reach each other in it, sorted; of clusters only. */
  readonly groups: Groups;
}

export const NO_OUTCOMES: RecordedOutcomes = { outcomes: [], conditions: undefined, epoch: 0, groups: new Map() };

export type OutcomeCommand =
  | {
      readonly type: 'EvaluateHost';
      readonly hostKey: string;
      readonly epoch: number;
      readonly outcomes: readonly Outcome[];
      readonly conditions: HostConditions;
    }
  | {
      readonly type: 'EvaluateCluster';
      readonly clusterId: string;
      readonly outcomes: readonly Outcome[];
      readonly conditions: ClusterConditions;
      /** Undefined before any host tried to reach another. */
      readonly groups: Groups | undefined;
    };

/** Stores what changed since the last verdict, and nothing when nothing did. A host's new epoch is always judged anew. */
export const outcomeDecider: Decider<RecordedOutcomes, OutcomeCommand, ValidationEvent, ProblemCode> = {
  initialState: () => NO_OUTCOMES,
  evolve: (verdict, event) => ({
    outcomes: applyOutcomeChanges(verdict.outcomes, event.data),
    conditions: event.data.conditions,
    epoch: event.type === 'HostOutcomesChanged' ? event.data.epoch : 0,
    groups: event.type === 'ClusterOutcomesChanged' ? applyGroupChanges(verdict.groups, event.data) : verdict.groups,
  }),
  decide: (command, verdict) => {
    const { changed, withdrawn } = diffOutcomes(verdict.outcomes, command.outcomes);
    const isSame = changed.length === 0 && withdrawn.length === 0 && isEqual(verdict.conditions, command.conditions);
    switch (command.type) {
      case 'EvaluateHost': {
        const { hostKey, epoch, conditions } = command;
        // Another replica may be ahead of this one.
        if (epoch < verdict.epoch || (isSame && epoch === verdict.epoch)) return accepted();
        return accepted<ValidationEvent>({
          type: 'HostOutcomesChanged',
          data: { hostKey, changed, withdrawn, conditions, epoch },
        });
      }
      case 'EvaluateCluster': {
        const { clusterId, conditions } = command;
        const groups = diffGroups(verdict.groups, command.groups ?? verdict.groups);
        if (isSame && groups.length === 0) return accepted();
        return accepted<ValidationEvent>({
          type: 'ClusterOutcomesChanged',
          data: {
            clusterId,
            changed,
            withdrawn,
            conditions,
            connectivityGroups: groups.length > 0 ? { groups } : undefined,
          },
        });
      }
      default:
        return command satisfies never;
    }
  },
};
