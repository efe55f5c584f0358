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
  readFileSetting,
  readSettings,
  readTimeouts,
  type SettingsReader,
} from '@muster/nest-kit';
import type { RequirementsTable } from '@muster/validation-rules';

/** The settings of this service. */
export interface RegistrationConfig {
  readonly images: Omit<StepImages, 'coreos'>;
  readonly steps: StepSettings;
  /** Whether the installations of new clusters wait for the cluster-version operator. */
  readonly monitorsClusterVersion: boolean;
  /** Time without a poll after which a host is disconnected. */
  readonly maxDisconnectionMs: number;
  /** Added to the time above for the bootstrap host. */
  readonly bootstrapExtraDisconnectionMs: number;
  readonly softTimeouts: boolean;
  readonly autoAssignsRoles: boolean;
  /** In lower case. Empty: the service selects the bootstrap host. */
  readonly bootstrapHostMac: string;
  readonly requirements: RequirementsTable;
  /** The settings of OLM operators, by variable. */
  readonly operatorSettings: OperatorSettings;
  readonly edgeWorkerProducts: readonly string[];
  /** Bridges, tunnels and the like count as network interfaces of a host. */
  readonly keepsVirtualInterfaces: boolean;
  /** Absent when hosts may not use the bus. Lifetime of their credentials in milliseconds. */
  readonly bus: BusConfig | undefined;
  readonly hostTimeouts: HostTimeouts;
  readonly clusterTimeouts: ClusterTimeouts;
}

/** The bus of hosts. */
export interface BusConfig {
  readonly trustFile: string;
  readonly lifetimeMs: number;
  /** The server, as services reach it. */
  readonly url: string;
  /** The certificate authority of the server, PEM. */
  readonly caPem: string | undefined;
}

export const CONFIG = Symbol('RegistrationConfig');

const MINUTE_MS = 60_000;

/** @throws SettingsError with every setting that is not valid */
export const readConfig = (environment: Environment): RegistrationConfig =>
  readSettings(environment, (settings) => ({
    images: {
      ...readComponentImages(settings),
      machineConfigOperator: settings.get('MCO_IMAGE'),
      mustGather: settings.get('MUST_GATHER_IMAGE'),
    },
    steps: {
      diskCheckTimeoutSeconds: settings.get('DISK_CHECK_TIMEOUT') / 1_000,
      // Agents accept an integer only.
      imageAvailabilityTimeoutSeconds: Math.ceil(settings.get('IMAGE_AVAILABILITY_TIMEOUT') / 1_000),
      inventoryBytesMax: settings.get('AGENT_INVENTORY_MAX_SIZE'),
      inventoryDiskBytesMin: settings.get('AGENT_INVENTORY_DISK_MIN_SIZE'),
      skipMcoReboot: settings.get('ENABLE_SKIP_MCO_REBOOT'),
      disabledSteps: settings.get('DISABLED_STEPS'),
      upgradesAgents: settings.get('ENABLE_UPGRADE_AGENT'),
    },
    monitorsClusterVersion: settings.get('CHECK_CLUSTER_VERSION'),
    maxDisconnectionMs: settings.get('HOST_MAX_DISCONNECTION_TIME'),
    bootstrapExtraDisconnectionMs: 2 * MINUTE_MS,
    softTimeouts: settings.get('ENABLE_SOFT_TIMEOUTS'),
    autoAssignsRoles: settings.get('ENABLE_AUTO_ASSIGN'),
    bootstrapHostMac: settings.get('BOOTSTRAP_HOST_MAC'),
    requirements: readHardwareRequirements(settings),
    operatorSettings: readOperatorSettings(settings),
    edgeWorkerProducts: settings.get('EDGE_WORKERS_PRODUCT_NAMES'),
    keepsVirtualInterfaces: settings.get('ENABLE_VIRTUAL_INTERFACES'),
    bus: readBus(settings),
    hostTimeouts: hostTimeouts(readTimeouts(settings, HOST_TIMEOUT_TABLE)),
    clusterTimeouts: clusterTimeouts(readTimeouts(settings, CLUSTER_TIMEOUT_TABLE)),
  }));

function readBus(settings: SettingsReader): RegistrationConfig['bus'] {
  const trustFile = settings.get('NATS_TRUST_FILE');
  const agentUrl = settings.get('AGENT_NATS_URL');
  const lifetimeMs = settings.get('AGENT_NATS_CREDENTIALS_LIFETIME');
  if (!trustFile || !agentUrl) return undefined;
  return {
    trustFile,
    lifetimeMs,
    url: settings.get('NATS_URL') ?? agentUrl,
    caPem: readFileSetting(settings, 'NATS_CA_FILE'),
  };
}
