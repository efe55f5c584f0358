import { clusterOf, isBound } from '../facts/host.facts';
import { claimOfOperator, excusedFromOperator, explainOperator, OPERATOR_REMEDY } from '../operators/operator-claim';
import { OPERATORS } from '../operators/operator.table';
import { operatorRuleId } from '../rule/contract-ids';
import type { HostRule } from './host-rule';

/** One row per operator that clients know. */
export const HOST_OPERATOR_RULES: readonly HostRule[] = OPERATORS.map((operator) => ({
  id: operatorRuleId(operator.name),
  category: 'operators',
  checks: `What ${operator.title} asks of the host, when it is selected.`,
  applies: isBound,
  excused: (facts) => excusedFromOperator(operator, clusterOf(facts)),
  needs: [],
  claim: () => claimOfOperator(operator, operator.asksOf.host),
  explain: () => explainOperator(operator),
  remedy: OPERATOR_REMEDY,
  gate: 'known',
}));
