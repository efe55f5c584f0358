import {
  CLUSTER_TIMEOUT_TABLE,
  type ClusterTimeouts,
  clusterTimeouts,
  HOST_TIMEOUT_TABLE,
  type HostTimeouts,
  hostTimeouts,
  type StepImages,
  type StepSettings,
} from '@muster/domain';
import type { OperatorSettings } from '@muster/operators';
import {
  type Environment,
  readComponentImages,
  readHardwareRequirements,
  readOperatorSettings,
  SettingsReader,
} from '@muster/nest-kit';
import type { RequirementsTable } from '@muster/validation-rules';

/** What an operator may set for this service; names as the field uses them. */
export interface RegistrationConfig {
  readonly images: StepImages;
  readonly steps: StepSettings;
  /** Silence after which a host counts as disconnected. */
  readonly maxDisconnectionMs: number;
  /** What the bootstrap host is allowed on top. */
  readonly bootstrapExtraDisconnectionMs: number;
  readonly softTimeouts: boolean;
  readonly autoAssignsRoles: boolean;
  readonly requirements: RequirementsTable;
  /** What was set for single OLM operators. */
  readonly operatorSettings: OperatorSettings;
  readonly edgeWorkerProducts: readonly string[];
  readonly hostTimeouts: HostTimeouts;
  readonly clusterTimeouts: ClusterTimeouts;
}

export const CONFIG = Symbol('RegistrationConfig');

const MINUTE_MS = 60_000;
const BYTES = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function readConfig(environment: Environment): RegistrationConfig {
  const settings = new SettingsReader(environment);
  return {
    images: {
      ...readComponentImages(settings),
      // Parts of a release: named by reading it, which is the toolchain's work, or by an operator. Not named, they are not checked.
      machineConfigOperator: settings.text('MCO_IMAGE', ''),
      mustGather: settings.text('MUST_GATHER_IMAGE', ''),
    },
    steps: {
      diskCheckTimeoutSeconds: settings.durationMs('DISK_CHECK_TIMEOUT', 8 * MINUTE_MS) / 1_000,
      imageAvailabilityTimeoutSeconds: settings.durationMs('IMAGE_AVAILABILITY_TIMEOUT', 16 * MINUTE_MS) / 1_000,
      inventoryBytesMax: settings.integer('AGENT_INVENTORY_MAX_SIZE', 0, BYTES),
      inventoryDiskBytesMin: settings.integer('AGENT_INVENTORY_DISK_MIN_SIZE', 0, BYTES),
      checkClusterVersion: settings.flag('CHECK_CLUSTER_VERSION', false),
      skipMcoReboot: settings.flag('ENABLE_SKIP_MCO_REBOOT', true),
      disabledSteps: settings.text('DISABLED_STEPS', '').split(',').filter(Boolean),
      upgradesAgents: settings.flag('ENABLE_UPGRADE_AGENT', true),
    },
    maxDisconnectionMs: settings.durationMs('HOST_MAX_DISCONNECTION_TIME', 3 * MINUTE_MS),
    bootstrapExtraDisconnectionMs: 2 * MINUTE_MS,
    softTimeouts: settings.flag('ENABLE_SOFT_TIMEOUTS', false),
    autoAssignsRoles: settings.flag('ENABLE_AUTO_ASSIGN', true),
    requirements: readHardwareRequirements(settings),
    operatorSettings: readOperatorSettings(settings),
    edgeWorkerProducts: settings.text('EDGE_WORKERS_PRODUCT_NAMES', 'BlueField SoC').split(',').filter(Boolean),
    hostTimeouts: hostTimeouts(overrides(settings, HOST_TIMEOUT_TABLE)),
    clusterTimeouts: clusterTimeouts(overrides(settings, CLUSTER_TIMEOUT_TABLE)),
  };
}

/** What the environment sets of a table of timeouts, in milliseconds by the setting's name. */
function overrides(
  settings: SettingsReader,
  table: readonly { readonly env: string | undefined }[],
): Record<string, number> {
  const names = table.flatMap(({ env }) => (env && settings.optionalText(env) ? [env] : []));
  return Object.fromEntries(names.map((name) => [name, settings.durationMs(name, 0)]));
}
