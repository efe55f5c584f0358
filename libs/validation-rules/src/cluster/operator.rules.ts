import { type OperatorName, type OperatorPlugin, OPERATORS, shapeOf } from '@muster/operators';
import { type ClusterFacts, day1Hosts } from '../facts/cluster.facts';
import { ASKS_FOR_NOTHING, excusedFromOperator, explainOperator, OPERATOR_REMEDY } from '../operators/operator-claim';
import { operatorCluster, operatorHostOfCluster } from '../operators/operator-subjects';
import { operatorRuleId } from '../rule/contract-ids';
import { type Claim, pass } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

function claimOf({ cluster: check }: OperatorPlugin, facts: ClusterFacts): Claim {
  if (!check) return pass();
  const hosts = day1Hosts(facts).map(operatorHostOfCluster);
  return check.claim(hosts, operatorCluster(facts.settings, shapeOf(hosts), facts.policy));
}

/** One row per plug-in. */
export const CLUSTER_OPERATOR_RULES: readonly ClusterRule[] = [
  ...PLUGINS.map((operator): ClusterRule => ({
    id: operatorRuleId(operator.name),
    category: 'operators',
    checks: `When ${operator.title} is selected: ${operator.cluster?.checks ?? ASKS_FOR_NOTHING}`,
    excused: ({ settings }) => excusedFromOperator(operator, settings),
    needs: [],
    claim: (facts) => claimOf(operator, facts),
    explain: () => explainOperator(operator),
    remedy: operator.cluster?.remedy ?? OPERATOR_REMEDY,
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
