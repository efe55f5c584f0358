import { clusterOf, type HostFacts } from '../facts/host.facts';
import { evaluateRules } from '../rule/evaluate-rules';
import { disabledRulesFor } from '../rule/overrides';
import type { Outcome } from '../rule/rule';
import { HOST_NEEDS } from './host-rule';
import { HOST_RULES } from './host-rules.table';

/** All outcomes of one host: a function of the facts. A rule that does not apply has no outcome. */
export function evaluateHost(facts: HostFacts): Outcome[] {
  const disabled = disabledRulesFor(facts.policy.disabledHostRules, clusterOf(facts).ignoredHostRules);
  return evaluateRules(HOST_RULES, HOST_NEEDS, facts, disabled);
}
