import type { OperatorName } from '../rule/contract-ids';

/** What choosing an operator asks of hosts and cluster, as far as it is checked by now. */
export interface OperatorRow {
  readonly name: OperatorName;
  readonly title: string;
  /** nothing: there is nothing to check. unchecked: it has requirements, and none of them is checked yet. */
  readonly asksOf: { readonly host: 'nothing' | 'unchecked'; readonly cluster: 'nothing' | 'unchecked' };
}

const nothing = { host: 'nothing', cluster: 'nothing' } as const;
const unchecked = { host: 'unchecked', cluster: 'unchecked' } as const;

export const OPERATORS: readonly OperatorRow[] = [
  { name: 'lso', title: 'Local Storage', asksOf: nothing },
  { name: 'odf', title: 'OpenShift Data Foundation', asksOf: unchecked },
  { name: 'cnv', title: 'OpenShift Virtualization', asksOf: unchecked },
  { name: 'lvm', title: 'LVM Storage', asksOf: unchecked },
  { name: 'mce', title: 'Multicluster Engine', asksOf: unchecked },
  { name: 'mtv', title: 'Migration Toolkit for Virtualization', asksOf: unchecked },
  { name: 'osc', title: 'OpenShift Sandboxed Containers', asksOf: unchecked },
  { name: 'node-feature-discovery', title: 'Node Feature Discovery', asksOf: nothing },
  { name: 'nvidia-gpu', title: 'NVIDIA GPU', asksOf: unchecked },
  { name: 'pipelines', title: 'OpenShift Pipelines', asksOf: nothing },
  { name: 'servicemesh', title: 'OpenShift Service Mesh', asksOf: nothing },
  { name: 'serverless', title: 'OpenShift Serverless', asksOf: nothing },
  { name: 'openshift-ai', title: 'OpenShift AI', asksOf: unchecked },
  { name: 'authorino', title: 'Authorino', asksOf: nothing },
  { name: 'nmstate', title: 'NMState', asksOf: unchecked },
  { name: 'amd-gpu', title: 'AMD GPU', asksOf: unchecked },
  { name: 'kmm', title: 'Kernel Module Management', asksOf: { host: 'unchecked', cluster: 'nothing' } },
  { name: 'node-healthcheck', title: 'Node Health Check', asksOf: nothing },
  { name: 'self-node-remediation', title: 'Self Node Remediation', asksOf: nothing },
  { name: 'fence-agents-remediation', title: 'Fence Agents Remediation', asksOf: nothing },
  { name: 'node-maintenance', title: 'Node Maintenance', asksOf: nothing },
  { name: 'kube-descheduler', title: 'Kube Descheduler', asksOf: nothing },
  { name: 'cluster-observability', title: 'Cluster Observability', asksOf: nothing },
  { name: 'numa-resources', title: 'NUMA Resources', asksOf: nothing },
  { name: 'oadp', title: 'OADP', asksOf: nothing },
  { name: 'metallb', title: 'MetalLB', asksOf: nothing },
  { name: 'loki', title: 'Loki', asksOf: unchecked },
  { name: 'openshift-logging', title: 'OpenShift Logging', asksOf: unchecked },
];
