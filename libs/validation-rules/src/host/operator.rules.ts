import { type OperatorName, type OperatorPlugin, OPERATORS } from '@muster/operators';
import { clusterOf, type HostFacts, isBound } from '../facts/host.facts';
import { ASKS_FOR_NOTHING, excusedFromOperator, explainOperator, OPERATOR_REMEDY } from '../operators/operator-claim';
import { operatorCluster, operatorHost } from '../operators/operator-subjects';
import { operatorRuleId } from '../rule/contract-ids';
import { type Claim, pass } from '../rule/rule';
import type { HostRule } from './host-rule';

const PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

function claimOf({ host: check }: OperatorPlugin, facts: HostFacts): Claim {
  return check
    ? check.claim(operatorHost(facts), operatorCluster(clusterOf(facts), facts.shape, facts.policy))
    : pass();
}

/** One row per plug-in. */
export const HOST_OPERATOR_RULES: readonly HostRule[] = PLUGINS.map((operator) => ({
  id: operatorRuleId(operator.name),
  category: 'operators',
  checks: `When ${operator.title} is selected: ${operator.host?.checks ?? ASKS_FOR_NOTHING}`,
  applies: isBound,
  excused: (facts) => excusedFromOperator(operator, clusterOf(facts)),
  needs: [],
  claim: (facts) => claimOf(operator, facts),
  explain: () => explainOperator(operator),
  remedy: operator.host?.remedy ?? OPERATOR_REMEDY,
  gate: 'known',
}));
