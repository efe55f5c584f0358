import { type ClusterSettingsFacts, isDay2Cluster } from '../facts/cluster-settings.facts';
import { type Claim, pass, pending } from '../rule/rule';
import type { OperatorRow } from './operator.table';

export const OPERATOR_REMEDY = 'Take the operator out of the cluster and add it after the installation.';

/** Why there is nothing to check, or undefined. */
export function excusedFromOperator({ name, title }: OperatorRow, cluster: ClusterSettingsFacts): string | undefined {
  if (isDay2Cluster(cluster)) return 'Not checked when adding hosts to an installed cluster';
  return cluster.operators.includes(name) ? undefined : `${title} is not selected`;
}

/** Of a selected operator. */
export function claimOfOperator({ title }: OperatorRow, asksOf: 'nothing' | 'unchecked'): Claim {
  return asksOf === 'nothing'
    ? pass()
    : pending(`${title} is selected, but this version does not check its requirements yet`);
}

export const explainOperator = ({ title }: OperatorRow): string => `${title} asks for nothing that could be missing`;
