import { claimOfOperator, excusedFromOperator, explainOperator, OPERATOR_REMEDY } from '../operators/operator-claim';
import { OPERATORS } from '../operators/operator.table';
import { operatorRuleId } from '../rule/contract-ids';
import { pass } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

/** One row per operator that clients know. */
export const CLUSTER_OPERATOR_RULES: readonly ClusterRule[] = [
  ...OPERATORS.map((operator): ClusterRule => ({
    id: operatorRuleId(operator.name),
    category: 'operators',
    checks: `What ${operator.title} asks of the cluster, when it is selected.`,
    excused: ({ settings }) => excusedFromOperator(operator, settings),
    needs: [],
    claim: () => claimOfOperator(operator, operator.asksOf.cluster),
    explain: () => explainOperator(operator),
    remedy: OPERATOR_REMEDY,
    gate: 'ready',
  })),
  {
    id: 'openshift-ai-gpu-requirements-satisfied',
    category: 'operators',
    checks: 'Says whether a GPU operator is selected along with OpenShift AI; never fails.',
    needs: [],
    claim: () => pass(),
    explain: (_found, { settings }) =>
      settings.operators.includes('openshift-ai') && !settings.operators.some((name) => name.endsWith('-gpu'))
        ? 'OpenShift AI is selected without a GPU operator'
        : 'Nothing to remark',
    remedy: 'Select a GPU operator when models are to run on GPUs.',
    gate: 'none',
  },
];
