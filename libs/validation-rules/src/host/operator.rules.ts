import { type OperatorName, type OperatorPlugin, OPERATORS } from '@muster/operators';
import { clusterOf, type HostFacts } from '../facts/host.facts';
import { NO_REQUIREMENTS, excusedFromOperator, operatorMessages, OPERATOR_REMEDY } from '../operators/operator-texts';
import { operatorCluster, operatorHost } from '../operators/operator-subjects';
import { operatorRuleId } from '../rule/contract-ids';
import { type Claim, pass, passBecause } from '../rule/rule';
import type { HostRule } from './host-rule';

const PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

function claimOf({ host: check }: OperatorPlugin, facts: HostFacts): Claim {
  return check
    ? check.claim(operatorHost(facts), operatorCluster(clusterOf(facts), facts.shape, facts.policy))
    : pass();
}

/** One row per operator. */
export const HOST_OPERATOR_RULES: readonly HostRule[] = PLUGINS.map((operator) => ({
  id: operatorRuleId(operator.name),
  category: 'operators',
  checks: `When ${operator.title} is selected: ${operator.host?.checks ?? NO_REQUIREMENTS}`,
  boundOnly: true,
  excused: (facts) => excusedFromOperator(operator, clusterOf(facts)),
  needs: [],
  claim: (facts) => claimOf(operator, facts),
  messages: operatorMessages(operator),
  initial: passBecause('not-selected'),
  remedy: operator.host?.remedy ?? OPERATOR_REMEDY,
  gate: 'known',
}));
