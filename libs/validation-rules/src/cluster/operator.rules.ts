import { type OperatorName, type OperatorPlugin, OPERATORS, shapeOf } from '@muster/operators';
import { type ClusterFacts, day1Hosts } from '../facts/cluster.facts';
import { operatorCluster, operatorHostOfCluster } from '../operators/operator-subjects';
import { excusedFromOperator, NO_REQUIREMENTS, OPERATOR_REMEDY, operatorMessages } from '../operators/operator-texts';
import { operatorRuleId } from '../rule/contract-ids';
import { type Claim, pass, passBecause } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

function claimOf({ cluster: check }: OperatorPlugin, facts: ClusterFacts): Claim {
  if (!check) return pass();
  const hosts = day1Hosts(facts).map(operatorHostOfCluster);
  return check.claim(hosts, operatorCluster(facts.settings, shapeOf(hosts), facts.policy));
}

/** One row per operator. */
export const CLUSTER_OPERATOR_RULES: readonly ClusterRule[] = [
  ...PLUGINS.map((operator): ClusterRule => ({
    id: operatorRuleId(operator.name),
    category: 'operators',
    checks: `When ${operator.title} is selected: ${operator.cluster?.checks ?? NO_REQUIREMENTS}`,
    excused: ({ settings }) => excusedFromOperator(operator, settings),
    needs: [],
    claim: (facts) => claimOf(operator, facts),
    messages: operatorMessages(operator),
    initial: passBecause('not-selected'),
    remedy: operator.cluster?.remedy ?? OPERATOR_REMEDY,
    gate: 'ready',
  })),
  {
    id: 'openshift-ai-gpu-requirements-satisfied',
    category: 'operators',
    checks: 'Reports whether a GPU operator is selected together with OpenShift AI. Never fails.',
    needs: [],
    claim: ({ settings }) =>
      settings.operators.includes('openshift-ai') && !settings.operators.some((name) => name.endsWith('-gpu'))
        ? passBecause('no-gpu-operator')
        : pass(),
    messages: {
      success: 'GPU requirements of OpenShift AI are satisfied',
      'no-gpu-operator': 'OpenShift AI is selected without a GPU operator',
    },
    remedy: 'Select a GPU operator when models run on GPUs.',
    gate: 'none',
  },
];
