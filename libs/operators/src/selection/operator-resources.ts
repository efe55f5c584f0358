import { OPERATORS, operatorNamed } from '../operators.table';
import type { OperatorCluster, OperatorHost } from '../plugin/operator-facts';
import { type ExtraResources, NOTHING, type OperatorPlugin } from '../plugin/operator-plugin';

const ALL: readonly OperatorPlugin[] = OPERATORS;

/** What the chosen operators together need of a host beside what OpenShift itself needs. */
export function resourcesOfOperators(host: OperatorHost, cluster: OperatorCluster): ExtraResources {
  return cluster.operators.reduce((sum, name) => {
    const extra = operatorNamed(name)?.resources?.(host, cluster);
    return extra ? { cpuCores: sum.cpuCores + extra.cpuCores, ramMib: sum.ramMib + extra.ramMib } : sum;
  }, NOTHING);
}

/** Decimal GB that chosen operators will keep on each disk for storage. */
export const storedGbOf = (operators: readonly string[], cluster: Pick<OperatorCluster, 'isSingleNode'>): number =>
  ALL.filter(({ name }) => operators.includes(name)).reduce((sum, { storedGb }) => sum + (storedGb?.(cluster) ?? 0), 0);

/** Whether the host, in the role it is given here, meets the operators that a control plane host has to meet. */
export function meetsControlPlaneOperators(host: OperatorHost, cluster: OperatorCluster): boolean {
  return ALL.filter(({ name, decidesControlPlane }) => decidesControlPlane && cluster.operators.includes(name)).every(
    ({ host: check }) => !check || check.claim(host, cluster).status === 'success',
  );
}
