import { OPERATORS, operatorNamed } from '../operators.table';
import type { OperatorCluster, OperatorHost } from '../plugin/operator-facts';
import { type ExtraResources, NOTHING, type OperatorPlugin } from '../plugin/operator-plugin';

const ALL: readonly OperatorPlugin[] = OPERATORS;

/** Returns the resources that the selected operators require of a host in addition to OpenShift. */
export function resourcesOfOperators(host: OperatorHost, cluster: OperatorCluster): ExtraResources {
  return cluster.operators.reduce((sum, name) => {
    const extra = operatorNamed(name)?.resources?.(host, cluster);
    return extra ? { cpuCores: sum.cpuCores + extra.cpuCores, ramMib: sum.ramMib + extra.ramMib } : sum;
  }, NOTHING);
}

/** Returns the decimal GB that selected operators store on each storage disk. */
export const storedGbOf = (operators: readonly string[], cluster: Pick<OperatorCluster, 'isSingleNode'>): number =>
  ALL.filter(({ name }) => operators.includes(name)).reduce((sum, { storedGb }) => sum + (storedGb?.(cluster) ?? 0), 0);

/**
 * Returns whether the host, in the given role, meets the requirements of the operators that decide on control plane
 * hosts.
 */
export function meetsControlPlaneOperators(host: OperatorHost, cluster: OperatorCluster): boolean {
  return ALL.filter(({ name, decidesControlPlane }) => decidesControlPlane && cluster.operators.includes(name)).every(
    ({ host: check }) => !check || check.claim(host, cluster).status === 'success',
  );
}
