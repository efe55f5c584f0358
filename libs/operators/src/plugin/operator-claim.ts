/** The text of a reason. `{title}` is the title of the operator, `{0}` the first parameter. */
export interface OperatorMessage {
  readonly message: string;
  readonly measured?: string;
  readonly required?: string;
}

/** The messages of all operators by reason. */
export const OPERATOR_MESSAGES = {
  success: { message: '{title} requirements are satisfied' },
  'not-selected': { message: '{title} is not selected' },
  'awaits-inventory': { message: 'Waiting for the host to report its hardware' },
  'awaits-inventories': { message: 'Waiting for the hosts to report their hardware' },
  'awaits-role': { message: '{title} requires a role for the host, unless the cluster has exactly 3 hosts' },
  'needs-role': { message: '{title} requires a role for the host' },
  release: {
    message: '{title} requires OpenShift {1} or later, the version of the cluster is {0}',
    measured: '{0}',
    required: '{1}',
  },
  architecture: {
    message: '{title} is not available on {0}',
    measured: '{0}',
    required: 'an architecture other than {1}',
  },
  cores: {
    message: '{title} alone requires {1} CPU cores, the host has {0}',
    measured: '{0} cores',
    required: '{1} cores',
  },
  memory: {
    message: '{title} alone requires {1} MiB of memory, the host has {0} MiB',
    measured: '{0} MiB',
    required: '{1} MiB',
  },
  'secure-boot': {
    message: '{title} cannot load its kernel modules while secure boot is enabled',
    measured: 'Enabled',
    required: 'Disabled',
  },
  'no-gpu': {
    message: '{title} requires at least one supported GPU on a host that runs workloads',
    measured: '0 GPUs',
    required: '1 GPU',
  },
  virtualization: {
    message: '{title} requires CPU virtualization, which is disabled on the host',
    measured: 'off',
    required: 'vmx or svm',
  },
  'no-disk': {
    message: '{title} requires an HDD or SSD beside the installation disk',
    measured: '0 disks',
    required: '1 disk',
  },
  'no-large-disk': {
    message: '{title} requires an HDD or SSD of at least {0} GB beside the installation disk',
    measured: '0 disks',
    required: '1 disk of {0} GB',
  },
  'too-few-workers': { message: '{title} requires {1} workers, the cluster has {0}', measured: '{0}', required: '{1}' },
  'no-mode': {
    message:
      '{title} requires 3 control plane hosts and no worker, or 3 control plane hosts (2 with an arbiter) and at least 3 workers. Only roles that a user has set count',
  },
  'too-few-disks': {
    message: '{title} requires {2} disks on {3} hosts in {4} mode, the cluster has {0} disks on {1} hosts',
    measured: '{0} disks on {1} hosts',
    required: '{2} disks on {3} hosts',
  },
} as const satisfies Readonly<Record<string, OperatorMessage>>;

export type OperatorReason = keyof typeof OPERATOR_MESSAGES;

/** The result of an operator's check of a host or cluster. Without a reason, its requirements are met. */
export interface OperatorClaim {
  readonly status: 'success' | 'failure' | 'pending';
  readonly reason?: OperatorReason;
  /** The values in the message of the reason. */
  readonly parameters?: readonly (string | number)[];
}

export const meets = (): OperatorClaim => ({ status: 'success' });
export const lacks = (reason: OperatorReason, ...parameters: readonly (string | number)[]): OperatorClaim => ({
  status: 'failure',
  reason,
  parameters,
});
export const awaits = (reason: OperatorReason): OperatorClaim => ({ status: 'pending', reason });
export const AWAITS_INVENTORY = awaits('awaits-inventory');

/** Returns the first claim that is not a success, otherwise success. */
export function firstFault(...claims: readonly (() => OperatorClaim)[]): OperatorClaim {
  for (const claim of claims) {
    const made = claim();
    if (made.status !== 'success') return made;
  }
  return meets();
}
