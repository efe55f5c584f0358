import type { OperatorPlugin } from '@muster/operators';
import { type ClusterSettingsFacts, isDay2Cluster } from '../facts/cluster-settings.facts';

export const OPERATOR_REMEDY = 'Take the operator out of the cluster and add it after the installation.';
export const ASKS_FOR_NOTHING = 'Nothing: the operator asks for nothing that could be missing.';

/** Why there is nothing to check, or undefined. */
export function excusedFromOperator(
  { name, title }: Pick<OperatorPlugin, 'name' | 'title'>,
  cluster: ClusterSettingsFacts,
): string | undefined {
  if (isDay2Cluster(cluster)) return 'Not checked when adding hosts to an installed cluster';
  return cluster.operators.includes(name) ? undefined : `${title} is not selected`;
}

export const explainOperator = ({ title }: Pick<OperatorPlugin, 'title'>): string =>
  `Everything that ${title} asks for is there`;
