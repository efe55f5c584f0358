import {
  NO_REASON,
  NO_VALIDATION_MESSAGES,
  renderReason,
  type StatusReason,
  type ValidationMessages,
} from '../status-reason';

/**
 * `status_info` of a cluster, by reason code. Scripts compare some of these texts, so they are equal to those of
 * assisted-service v2 (internal/cluster/transition.go). Blocking validations are in `validations_info` and in the
 * refusal of an installation.
 */
export const CLUSTER_MESSAGES = {
  'not-ready': 'Cluster is not ready for install',
  'input-required': 'User input required',
  ready: 'Cluster ready to be installed',
  'adding-hosts': 'cluster is adding hosts to existing OCP cluster',
  unmonitored: 'Cluster created for offline installation',
  preparing: 'Preparing cluster for installation',
  'preparation-timed-out': 'Preparing cluster for installation timeout',
  'download-stopped':
    'Preparing cluster for installation timeout. The download of {image} stopped after {done} of {total} MiB. Check the registry and the network of the service, then start the installation again',
  'preparation-failed': 'Cluster failed to prepare for installation',
  'host-stopped-preparing': 'At least one host has stopped preparing for installation',
  'awaiting-node-address': 'Waiting for an address of the node in the machine network',
  installing: 'Installation in progress',
  'hosts-failed': 'cluster has hosts in error',
  'wrong-boot-order': 'Cluster has hosts pending user action',
  'user-action-timed-out':
    'cluster installation timed out while pending user action (a manual booting from installation disk)',
  'installation-timed-out': 'cluster installation timeout ({minutes} minutes) has expired',
  finalizing: 'Finalizing cluster installation',
  'finalizing-timed-out': 'Cluster installation timeout while finalizing',
  'finalizing-stage-timed-out':
    "Cluster finalizing stage '{stage}' has been timed out after timeout duration of {minutes} minutes",
  'finalizing-stage-overdue':
    "Cluster finalizing stage '{stage}' is taking longer than the expected duration of {minutes} minutes",
  installed: 'Cluster is installed',
  'installed-degraded': 'Cluster is installed but degraded. Failed OLM operators: {operators}',
  'installed-with-fewer-workers': 'Cluster is installed but some workers did not join',
  cancelled: 'Installation was cancelled by user',
  reset: 'cluster was reset by user',
} as const;
export type ClusterReasonCode = keyof typeof CLUSTER_MESSAGES;

const MESSAGES: ReadonlyMap<string, string> = new Map(Object.entries(CLUSTER_MESSAGES));
/** These texts do not contain the blocking validations, because scripts compare the whole text. */
const WITHOUT_VALIDATIONS = { failing: [], pending: [] };

export const clusterReason = (
  code: ClusterReasonCode,
  more: Partial<Omit<StatusReason, 'code'>> = {},
): StatusReason => ({
  ...NO_REASON,
  ...more,
  code,
});

const templateOf = ({ code }: StatusReason): string => MESSAGES.get(code) ?? '';

/** Returns `status_info` of a cluster. Empty for a reason that this version does not have. */
export function renderClusterStatus(reason: StatusReason): string {
  return renderReason(templateOf(reason), { ...reason, ...WITHOUT_VALIDATIONS }, NO_VALIDATION_MESSAGES);
}

/** Returns `status_info` followed by the validations that block the cluster. */
export function explainClusterStatus(reason: StatusReason, messageOf: ValidationMessages): string {
  const template = templateOf(reason);
  return renderReason(reason.failing.length === 0 ? template : `${template}: {failing}`, reason, messageOf);
}
