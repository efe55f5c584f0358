import { isReplaceableAgent } from '@muster/validation-rules';
import {
  diskSpeedCheck,
  downloadBootArtifacts,
  imageAvailability,
  install,
  inventory,
  logsGather,
  rebootForReclaim,
  stopInstallation,
} from './installation-steps';
import {
  apiVipConnectivityCheck,
  connectivityCheck,
  dhcpLeaseAllocate,
  domainResolution,
  freeNetworkAddresses,
  ntpSynchronizer,
  tangConnectivityCheck,
  verifyVips,
} from './network-steps';
import type { StepArguments, StepContext } from './step-context';

/** The steps that an agent runs, by type. A new step needs one entry here, one row below, and one file in the agent. */
export const STEPS = {
  inventory,
  'connectivity-check': connectivityCheck,
  'tang-connectivity-check': tangConnectivityCheck,
  'free-network-addresses': freeNetworkAddresses,
  'dhcp-lease-allocate': dhcpLeaseAllocate,
  'ntp-synchronizer': ntpSynchronizer,
  'domain-resolution': domainResolution,
  'verify-vips': verifyVips,
  'api-vip-connectivity-check': apiVipConnectivityCheck,
  'installation-disk-speed-check': diskSpeedCheck,
  'container-image-availability': imageAvailability,
  install,
  'logs-gather': logsGather,
  'stop-installation': stopInstallation,
  'download-boot-artifacts': downloadBootArtifacts,
  'reboot-for-reclaim': rebootForReclaim,
} as const satisfies Record<string, StepArguments>;

export type StepType = keyof typeof STEPS;

export interface StepRow {
  readonly pool: 'day-1' | 'day-2' | 'unbound';
  readonly statuses: readonly string[];
  readonly steps: readonly StepType[];
  /** Seconds until the agent polls again. */
  readonly intervalSeconds: number;
  /** `exit`: the agent exits after these steps and registers again. */
  readonly then: 'continue' | 'exit';
}

/** The plan of statuses without a row: no steps, and the next poll after one minute. */
export const IDLE_ROW: Omit<StepRow, 'pool' | 'statuses'> = { steps: [], intervalSeconds: 60, then: 'continue' };

const NETWORK_STEPS: readonly StepType[] = [
  'connectivity-check',
  'tang-connectivity-check',
  'free-network-addresses',
  'dhcp-lease-allocate',
];
const NAME_STEPS: readonly StepType[] = ['ntp-synchronizer', 'domain-resolution', 'verify-vips'];

/** Steps that collect the inputs for joining a cluster. */
const JOINING_STEPS: readonly StepType[] = [
  'connectivity-check',
  'api-vip-connectivity-check',
  'tang-connectivity-check',
];

/** At most one row has a given pool and status, so the rows carry no order (a test proves it). */
export const STEP_ROWS: readonly StepRow[] = [
  {
    pool: 'day-1',
    statuses: ['known'],
    steps: [...NETWORK_STEPS, 'inventory', ...NAME_STEPS],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-1',
    statuses: ['insufficient', 'pending-for-input'],
    steps: ['inventory', ...NETWORK_STEPS, ...NAME_STEPS],
    intervalSeconds: 60,
    then: 'continue',
  },
  { pool: 'day-1', statuses: ['discovering'], steps: ['inventory'], intervalSeconds: 60, then: 'continue' },
  { pool: 'day-1', statuses: ['disconnected'], steps: ['inventory'], intervalSeconds: 120, then: 'continue' },
  {
    pool: 'day-1',
    statuses: ['preparing-for-installation'],
    steps: ['dhcp-lease-allocate', 'installation-disk-speed-check', 'container-image-availability'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-1',
    statuses: ['installing'],
    steps: ['install', 'dhcp-lease-allocate'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-1',
    statuses: ['installing-in-progress'],
    steps: ['dhcp-lease-allocate'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-1',
    statuses: ['error', 'cancelled'],
    steps: ['logs-gather', 'stop-installation'],
    intervalSeconds: 120,
    then: 'continue',
  },
  { pool: 'day-1', statuses: ['resetting', 'disabled'], steps: [], intervalSeconds: 120, then: 'continue' },
  {
    pool: 'day-1',
    statuses: ['resetting-pending-user-action'],
    // The host may have been reset during its installation. assisted-service v2 sends no step, so its installer continues.
    steps: ['stop-installation'],
    intervalSeconds: 60,
    then: 'continue',
  },
  { pool: 'day-1', statuses: ['binding'], steps: [], intervalSeconds: 0, then: 'exit' },

  {
    pool: 'day-2',
    statuses: ['known'],
    steps: [...JOINING_STEPS, 'inventory', 'ntp-synchronizer', 'domain-resolution'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-2',
    statuses: ['insufficient'],
    steps: ['inventory', ...JOINING_STEPS, 'ntp-synchronizer', 'domain-resolution'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-2',
    statuses: ['pending-for-input'],
    steps: ['inventory', ...JOINING_STEPS],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'day-2',
    statuses: ['discovering'],
    steps: ['inventory', 'ntp-synchronizer', 'domain-resolution'],
    intervalSeconds: 60,
    then: 'continue',
  },
  { pool: 'day-2', statuses: ['disconnected'], steps: ['inventory'], intervalSeconds: 120, then: 'continue' },
  { pool: 'day-2', statuses: ['installing'], steps: ['install'], intervalSeconds: 60, then: 'continue' },
  {
    pool: 'day-2',
    statuses: ['error', 'cancelled'],
    steps: ['logs-gather', 'stop-installation'],
    intervalSeconds: 120,
    then: 'continue',
  },
  { pool: 'day-2', statuses: ['resetting', 'disabled'], steps: [], intervalSeconds: 120, then: 'continue' },
  {
    pool: 'day-2',
    statuses: ['resetting-pending-user-action'],
    steps: ['stop-installation'],
    intervalSeconds: 60,
    then: 'continue',
  },

  {
    pool: 'unbound',
    statuses: ['discovering-unbound', 'insufficient-unbound', 'known-unbound'],
    steps: ['inventory', 'ntp-synchronizer'],
    intervalSeconds: 60,
    then: 'continue',
  },
  { pool: 'unbound', statuses: ['disconnected-unbound'], steps: ['inventory'], intervalSeconds: 120, then: 'continue' },
  { pool: 'unbound', statuses: ['disabled-unbound'], steps: [], intervalSeconds: 120, then: 'continue' },
  {
    pool: 'unbound',
    statuses: ['unbinding'],
    steps: [],
    intervalSeconds: 0,
    then: 'exit',
  },
  {
    pool: 'unbound',
    statuses: ['unbinding-pending-user-action'],
    // The host may have been unbound during its installation. assisted-service v2 sends no step, so its installer continues.
    steps: ['stop-installation'],
    intervalSeconds: 0,
    then: 'exit',
  },
  {
    pool: 'unbound',
    statuses: ['reclaiming'],
    steps: ['download-boot-artifacts'],
    intervalSeconds: 60,
    then: 'continue',
  },
  {
    pool: 'unbound',
    statuses: ['reclaiming-rebooting'],
    steps: ['reboot-for-reclaim'],
    intervalSeconds: 120,
    then: 'exit',
  },
];

const ROW_OF: ReadonlyMap<string, StepRow> = new Map(
  STEP_ROWS.flatMap((row) => row.statuses.map((status) => [`${row.pool} ${status}`, row])),
);

export interface PlannedStep {
  readonly type: StepType | 'upgrade-agent';
  readonly args: readonly string[];
}

export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly intervalSeconds: number;
  readonly then: 'continue' | 'exit';
}

const UPGRADABLE_STATUSES: readonly string[] = [
  'binding',
  'discovering',
  'discovering-unbound',
  'insufficient',
  'insufficient-unbound',
  'known',
  'known-unbound',
  'pending-for-input',
];

/**
 * The steps for two machines with the id of one host, which cannot be distinguished at a poll. An inventory names its machine. The
 * others write no disk and report nothing about the machine.
 */
const CONTESTED_STEPS: readonly StepType[] = ['inventory', 'logs-gather', 'stop-installation'];

/** The conflict ends with an inventory, so each status with steps has it. */
const contestedStepsOf = (steps: readonly StepType[]): readonly StepType[] =>
  CONTESTED_STEPS.filter((type) => (type === 'inventory' ? steps.length > 0 : steps.includes(type)));

/** An agent that does not send its version (empty) is treated as current. */
function isUpgradeDue({ hardware, host, images, infraEnv, settings }: StepContext, agentVersion: string): boolean {
  const required = { agentImage: images.agent, agentArchitectures: images.agentArchitectures };
  return (
    settings.upgradesAgents &&
    !settings.disabledSteps.includes('upgrade-agent') &&
    UPGRADABLE_STATUSES.includes(host.status) &&
    agentVersion !== '' &&
    agentVersion !== images.agent &&
    isReplaceableAgent(agentVersion, required, hardware?.cpuArchitecture || infraEnv.cpuArchitecture)
  );
}

function rowOf({ cluster, host }: StepContext): Omit<StepRow, 'pool' | 'statuses'> {
  const pool = !cluster ? 'unbound' : host.kind === 'AddToExistingClusterHost' ? 'day-2' : 'day-1';
  return ROW_OF.get(`${pool} ${host.status}`) ?? IDLE_ROW;
}

/** Returns whether the host gets no connectivity check because the list of the other hosts is too long for a message. */
export const hasTooManyPeers = (context: StepContext): boolean =>
  rowOf(context).steps.includes('connectivity-check') && context.remoteHosts().isTooLong;

/**
 * Returns the next steps of the agent. An outdated agent receives only the upgrade step, because the other steps may have changed.
 * An executable that cannot be replaced receives the steps of its status: the upgrade would fail at each poll.
 */
export function planSteps(context: StepContext, agentVersion: string): StepPlan {
  const { settings, images, host } = context;
  if (isUpgradeDue(context, agentVersion)) {
    return {
      steps: [{ type: 'upgrade-agent', args: [JSON.stringify({ agent_image: images.agent })] }],
      intervalSeconds: 60,
      then: 'continue',
    };
  }
  const row = rowOf(context);
  const types = host.hasIdentityConflict ? contestedStepsOf(row.steps) : row.steps;
  const steps = types.flatMap((type) => {
    const args = settings.disabledSteps.includes(type) ? undefined : STEPS[type](context);
    return args ? [{ type, args }] : [];
  });
  return { steps, intervalSeconds: row.intervalSeconds, then: row.then };
}
