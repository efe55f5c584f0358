import { OPERATOR_MESSAGES, type OperatorName, type OperatorPlugin, OPERATORS, shapeOf } from '@muster/operators';
import type { ClusterRule } from '../cluster/cluster-rule';
import { type ClusterSettingsFacts, isDay2Cluster } from '../facts/cluster-settings.facts';
import { type ClusterFacts, day1Hosts } from '../facts/cluster.facts';
import { clusterOf, type HostFacts } from '../facts/host.facts';
import type { HostRule } from '../host/host-rule';
import { operatorRuleId } from '../rule/contract-ids';
import { type Claim, type Message, type Messages, pass, passBecause } from '../rule/rule';
import { operatorCluster, operatorHost, operatorHostOfCluster } from './operator-subjects';

export const OPERATOR_REMEDY = 'Remove the operator from the cluster and add it after the installation.';
export const NO_REQUIREMENTS = 'The operator has no requirements.';

/** Returns the reason why the operator is not checked, or undefined when it is. */
export function excusedFromOperator(
  { name }: Pick<OperatorPlugin, 'name'>,
  cluster: ClusterSettingsFacts,
): string | undefined {
  if (isDay2Cluster(cluster)) return 'day-2';
  return cluster.operators.includes(name) ? undefined : 'not-selected';
}

/** Returns the messages of the operator: those of all operators, with its title. */
export function operatorMessages({ title }: Pick<OperatorPlugin, 'title'>): Messages {
  const titled = (message: Message): Message =>
    typeof message === 'string'
      ? message.replace('{title}', title)
      : { ...message, message: message.message.replace('{title}', title) };
  return Object.fromEntries(Object.entries(OPERATOR_MESSAGES).map(([reason, message]) => [reason, titled(message)]));
}

const PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

function hostClaimOf({ host: check }: OperatorPlugin, facts: HostFacts): Claim {
  return check
    ? check.claim(operatorHost(facts), operatorCluster(clusterOf(facts), facts.shape, facts.policy))
    : pass();
}

/** One host rule per operator. */
export const HOST_OPERATOR_RULES: readonly HostRule[] = PLUGINS.map((operator) => ({
  id: operatorRuleId(operator.name),
  category: 'operators',
  checks: `When ${operator.title} is selected: ${operator.host?.checks ?? NO_REQUIREMENTS}`,
  boundOnly: true,
  excused: (facts) => excusedFromOperator(operator, clusterOf(facts)),
  needs: [],
  claim: (facts) => hostClaimOf(operator, facts),
  messages: operatorMessages(operator),
  initial: passBecause('not-selected'),
  remedy: operator.host?.remedy ?? OPERATOR_REMEDY,
  gate: 'known',
}));

function clusterClaimOf({ cluster: check }: OperatorPlugin, facts: ClusterFacts): Claim {
  if (!check) return pass();
  const hosts = day1Hosts(facts).map(operatorHostOfCluster);
  return check.claim(hosts, operatorCluster(facts.settings, shapeOf(hosts), facts.policy));
}

/** One cluster rule per operator. */
export const CLUSTER_OPERATOR_RULES: readonly ClusterRule[] = [
  ...PLUGINS.map((operator): ClusterRule => ({
    id: operatorRuleId(operator.name),
    category: 'operators',
    checks: `When ${operator.title} is selected: ${operator.cluster?.checks ?? NO_REQUIREMENTS}`,
    excused: ({ settings }) => excusedFromOperator(operator, settings),
    needs: [],
    claim: (facts) => clusterClaimOf(operator, facts),
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
