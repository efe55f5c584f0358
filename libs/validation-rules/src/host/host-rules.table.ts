import { clusterOf, type HostFacts, isBound } from '../facts/host.facts';
import { HOST_OPERATOR_RULES } from '../operators/operator.rules';
import { evaluateRules, initialOutcomes, type Outcomes } from '../rule/evaluate-rules';
import { disabledRulesFor } from '../rule/overrides';
import { type RenderedOutcome, renderOutcome } from '../rule/render-outcome';
import { type Outcome, SUPPRESSED } from '../rule/rule';
import { AGENT_RULES, CONNECTION_RULES, INVENTORY_RULES } from './agent.rules';
import { CONNECTIVITY_RULES } from './connectivity.rules';
import { DISK_RULES, ENCRYPTION_RULES } from './disk.rules';
import { HARDWARE_RULES, PLATFORM_RULES } from './hardware.rules';
import { HOST_NEEDS, type HostRule } from './host-rule';
import { NAME_RESOLUTION_RULES, NAME_RULES } from './name.rules';
import { NETWORK_RULES } from './network.rules';
import { TIME_RULES } from './time.rules';

/** Every rule for hosts. Blocking, the reference page and the tests are derived from these rows. */
export const HOST_RULES: readonly HostRule[] = [
  ...CONNECTION_RULES,
  ...INVENTORY_RULES,
  ...HARDWARE_RULES,
  ...DISK_RULES,
  ...ENCRYPTION_RULES,
  ...NAME_RULES,
  ...PLATFORM_RULES,
  ...NETWORK_RULES,
  ...CONNECTIVITY_RULES,
  ...NAME_RESOLUTION_RULES,
  ...TIME_RULES,
  ...AGENT_RULES,
  ...HOST_OPERATOR_RULES,
];

const HOST_RULES_BY_ID: ReadonlyMap<string, HostRule> = new Map(HOST_RULES.map((rule) => [rule.id, rule]));
const UNBOUND_RULES: readonly HostRule[] = HOST_RULES.filter(({ boundOnly }) => !boundOnly);

/** Returns the outcome of every rule for a host. Rules that are `boundOnly` have an outcome on bound hosts only. */
export function evaluateHost(facts: HostFacts): Outcome[] {
  const disabled = disabledRulesFor(facts.policy.disabledHostRules, clusterOf(facts).ignoredHostRules);
  const outcomes = evaluateRules(isBound(facts) ? HOST_RULES : UNBOUND_RULES, HOST_NEEDS, facts, disabled);
  return facts.failedSteps.size === 0 ? outcomes : outcomes.map((outcome) => withFailedStep(outcome, facts));
}

const UNMEASURED: ReadonlySet<string> = new Set(['pending', 'error']);
/** Reasons of a success before the first measurement. */
const NOT_YET_MEASURED: ReadonlySet<string | undefined> = new Set(['not-tried', 'not-measured']);

/** An outcome without a measurement names the step that the host could not run. Its status stays. */
function withFailedStep(outcome: Outcome, { failedSteps }: HostFacts): Outcome {
  const stepType = HOST_RULES_BY_ID.get(outcome.id)?.measuredBy;
  const reason = stepType && failedSteps.get(stepType);
  const isUnmeasured = UNMEASURED.has(outcome.status) || NOT_YET_MEASURED.has(outcome.reason);
  return reason && isUnmeasured ? { ...outcome, reason: 'step-failed', parameters: [stepType, reason] } : outcome;
}

const INITIAL_BOUND = initialOutcomes(HOST_RULES);
const INITIAL_UNBOUND = initialOutcomes(
  UNBOUND_RULES.map(({ id, needs, initial, suppressedUnbound }) => ({
    id,
    needs,
    ...(suppressedUnbound ? { initial: SUPPRESSED } : { initial }),
  })),
);

/** Returns the outcomes of a host before it has reported anything. They are never stored. */
export const initialHostOutcomes = (isBoundHost: boolean): Outcomes => (isBoundHost ? INITIAL_BOUND : INITIAL_UNBOUND);

const INITIAL_BOUND_LIST = [...INITIAL_BOUND.values()];
const INITIAL_UNBOUND_LIST = [...INITIAL_UNBOUND.values()];

/** Returns all outcomes of a host: the recorded ones, and the initial ones of all other rules. */
export const completeHostOutcomes = (recorded: Outcomes, isBoundHost: boolean): readonly Outcome[] =>
  (isBoundHost ? INITIAL_BOUND_LIST : INITIAL_UNBOUND_LIST).map((initial) => recorded.get(initial.id) ?? initial);

export const renderHostOutcome = (outcome: Outcome): RenderedOutcome =>
  renderOutcome(outcome, HOST_RULES_BY_ID.get(outcome.id));
