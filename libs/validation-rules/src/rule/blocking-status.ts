import type { ClusterBlocking } from '../cluster/cluster-rule';
import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import type { HostBlocking, HostRule } from '../host/host-rule';
import { HOST_RULES } from '../host/host-rules.table';
import {
  type IgnoredRules,
  isIgnored,
  NEVER_IGNORABLE_CLUSTER_RULES,
  NEVER_IGNORABLE_HOST_RULES,
  isUnblocked,
} from './overrides';
import type { Outcome } from './rule';

/** Whether an outcome blocks, and what. */
export interface BlockingStatus {
  /**
   * The effect that the outcome can block: that the host is known, that the cluster is ready, or that the installation is
   * prepared. `soft` outcomes block nothing.
   */
  readonly gate: 'known' | 'ready' | 'preparation' | 'soft';
  readonly isIgnorable: boolean;
  readonly isIgnored: boolean;
  /** The outcome blocks with its current status. */
  readonly isBlocking: boolean;
}

const HOST_RULES_BY_ID: ReadonlyMap<string, HostRule> = new Map(HOST_RULES.map((rule) => [rule.id, rule]));
const CLUSTER_RULES_BY_ID = new Map<string, (typeof CLUSTER_RULES)[number]>(CLUSTER_RULES.map((one) => [one.id, one]));

/** Returns what an outcome blocks. Few rules block unbound hosts. */
export function hostBlockingStatus(outcome: Outcome, ignored: IgnoredRules, isBound: boolean): BlockingStatus {
  const rule = HOST_RULES_BY_ID.get(outcome.id);
  const gate = rule && (isBound || rule.blocksUnbound) ? hostGate(rule.gate) : 'soft';
  return blockingStatus(outcome, gate, rule, ignored, NEVER_IGNORABLE_HOST_RULES);
}

export function clusterBlockingStatus(outcome: Outcome, ignored: IgnoredRules): BlockingStatus {
  const rule = CLUSTER_RULES_BY_ID.get(outcome.id);
  return blockingStatus(outcome, clusterGate(rule?.gate ?? 'none'), rule, ignored, NEVER_IGNORABLE_CLUSTER_RULES);
}

function hostGate(gate: HostBlocking): BlockingStatus['gate'] {
  if (gate === 'none') return 'soft';
  return gate === 'images' ? 'preparation' : 'known';
}

const clusterGate = (gate: ClusterBlocking): BlockingStatus['gate'] => (gate === 'none' ? 'soft' : 'ready');

function blockingStatus(
  outcome: Outcome,
  gate: BlockingStatus['gate'],
  rule: { readonly id: string; readonly toleratesPending?: true } | undefined,
  ignored: IgnoredRules,
  neverIgnorable: readonly string[],
): BlockingStatus {
  return {
    gate,
    isIgnorable: !neverIgnorable.includes(outcome.id),
    isIgnored: isIgnored(outcome.id, ignored, neverIgnorable),
    isBlocking: gate !== 'soft' && !isUnblocked(outcome, rule ?? outcome, ignored, neverIgnorable),
  };
}
