import { OPERATOR_MESSAGES, type OperatorPlugin } from '@muster/operators';
import { type ClusterSettingsFacts, isDay2Cluster } from '../facts/cluster-settings.facts';
import type { Message, Messages } from '../rule/rule';

export const OPERATOR_REMEDY = 'Remove the operator from the cluster and add it after the installation.';
export const NO_REQUIREMENTS = 'Nothing: the operator has no requirements that could be missing.';

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
