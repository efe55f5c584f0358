import type { MonitoredOperator, OperatorChoice, Plain } from '@muster/contracts';
import { CLUSTER_KINDS, type ClusterKind } from '@muster/domain';
import { RefusalError } from '@muster/problems';

export function clusterKindOf(kind: string): ClusterKind {
  const found = CLUSTER_KINDS.find((known) => known === (kind || 'Cluster'));
  if (!found)
    throw new RefusalError({
      code: 'invalid-input',
      reason: `${kind} is no kind of cluster.`,
      subject: 'kind',
      allowed: CLUSTER_KINDS,
    });
  return found;
}

/** Seconds an OLM operator may take to become available, by default and where it is known to need longer. */
const OLM_TIMEOUT_SECONDS = 1_800;
const LONGER_TIMEOUTS_SECONDS: ReadonlyMap<string, number> = new Map([
  ['lso', 4_200],
  ['cnv', 3_600],
  ['mce', 3_600],
  ['mtv', 3_600],
  ['osc', 3_600],
  ['nmstate', 3_600],
]);

/** What has to be watched for a choice of operators. Dependencies and namespaces come with the operator plug-ins. */
export function monitoredOperators(choices: readonly Plain<OperatorChoice>[]): Plain<MonitoredOperator>[] {
  return choices.map(({ name }) => ({
    name,
    operatorType: 'olm',
    version: '',
    status: '',
    statusInfo: '',
    timeoutSeconds: LONGER_TIMEOUTS_SECONDS.get(name) ?? OLM_TIMEOUT_SECONDS,
    namespace: '',
    subscriptionName: '',
  }));
}
