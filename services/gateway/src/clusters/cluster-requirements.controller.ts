import { type ClusterDocument, type Static, StringEnum } from '@muster/assisted-api';
import { isAvailable, platformLevel } from '@muster/feature-support';
import {
  NOTHING_AHEAD,
  type OperatorCluster,
  type OperatorPlugin,
  OPERATOR_PLUGINS,
  type OperatorSettings,
} from '@muster/operators';
import {
  type HostRequirements,
  parseVersion,
  requirementsOf,
  type RequirementsTable,
  isCompatibleManufacturer,
} from '@muster/validation-rules';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';

/** `cluster-host-requirements-details` of the v2 API. */
const V2_QUANTITIES = Type.Object(
  {
    cpu_cores: Type.Integer(),
    ram_mib: Type.Integer(),
    disk_size_gb: Type.Optional(Type.Integer()),
    installation_disk_speed_threshold_ms: Type.Optional(Type.Integer()),
    network_latency_threshold_ms: Type.Optional(Type.Number()),
    packet_loss_percentage: Type.Optional(Type.Number()),
    tpm_enabled_in_bios: Type.Optional(Type.Boolean()),
  },
  { title: 'cluster-host-requirements-details' },
);

const V2_ROLE_REQUIREMENTS = Type.Object(
  {
    quantitative: V2_QUANTITIES,
    qualitative: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'host-type-hardware-requirements' },
);
type V2RoleRequirements = Static<typeof V2_ROLE_REQUIREMENTS>;

const V2_REQUIREMENTS = Type.Object(
  {
    master: V2_ROLE_REQUIREMENTS,
    worker: V2_ROLE_REQUIREMENTS,
  },
  { title: 'hardware-requirements-by-role' },
);

/** `preflight-hardware-requirements` of the v2 API. */
export const V2_PREFLIGHT_REQUIREMENTS = Type.Object(
  {
    ocp: V2_REQUIREMENTS,
    operators: Type.Array(
      Type.Object(
        {
          operator_name: Type.String(),
          dependencies: Type.Array(Type.String()),
          requirements: V2_REQUIREMENTS,
        },
        { title: 'operator-hardware-requirements' },
      ),
    ),
  },
  { title: 'preflight-hardware-requirements' },
);
export type V2PreflightRequirements = Static<typeof V2_PREFLIGHT_REQUIREMENTS>;

type Asked = Pick<ClusterDocument, 'openshift_version' | 'control_plane_count' | 'disk_encryption' | 'kind'>;
type Role = 'master' | 'worker';

/** Returns the hardware requirements of OpenShift and of every operator, independently of existing hosts. */
export function preflightRequirements(
  cluster: Asked,
  table: RequirementsTable,
  settings: OperatorSettings,
): V2PreflightRequirements {
  const version = cluster.openshift_version ?? '';
  const isSingleNode = cluster.control_plane_count === 1;
  const requirements = requirementsOf(table, version);
  const known = { isSingleNode, release: parseVersion(version), settings };
  return {
    ocp: {
      master: ofRole(isSingleNode ? requirements.sno : requirements.master, needsTpm(cluster, 'master')),
      worker: ofRole(requirements.worker, needsTpm(cluster, 'worker')),
    },
    operators: cluster.kind === 'AddHostsCluster' ? [] : OPERATOR_PLUGINS.map((one) => ofOperator(one, known)),
  };
}

function ofRole(requirements: HostRequirements, tpm: boolean): V2RoleRequirements {
  const { networkLatencyMsMax: latency, packetLossPercentMax: loss } = requirements;
  return {
    quantitative: {
      cpu_cores: requirements.cpuCores,
      ram_mib: requirements.ramMib,
      disk_size_gb: requirements.diskSizeGb,
      installation_disk_speed_threshold_ms: requirements.installationDiskSpeedMsMax,
      ...(latency === undefined ? {} : { network_latency_threshold_ms: latency }),
      ...(loss === undefined ? {} : { packet_loss_percentage: loss }),
      ...(tpm ? { tpm_enabled_in_bios: true } : {}),
    },
  };
}

function ofOperator(
  operator: OperatorPlugin,
  known: Pick<OperatorCluster, 'isSingleNode' | 'release' | 'settings'>,
): V2PreflightRequirements['operators'][number] {
  const role = (name: Role): V2RoleRequirements => {
    const { cpuCores, ramMib, descriptions } = operator.preview?.(name, known) ?? NOTHING_AHEAD;
    return { quantitative: { cpu_cores: cpuCores, ram_mib: ramMib }, qualitative: descriptions };
  };
  return {
    operator_name: operator.name,
    dependencies: operator.dependencies(known),
    requirements: { master: role('master'), worker: role('worker') },
  };
}

/** The values of `enable_on` that include each role. */
const ENCRYPTED: Readonly<Record<Role, readonly string[]>> = { master: ['masters', 'all'], worker: ['workers', 'all'] };

function needsTpm({ disk_encryption: encryption }: Asked, role: Role): boolean {
  if (encryption?.mode !== 'tpmv2') return false;
  const roles = String(encryption.enable_on ?? '').split(',');
  return ENCRYPTED[role].some((word) => roles.includes(word));
}

/** `platform_type` of the v2 API. */
export type PlatformType = 'baremetal' | 'nutanix' | 'vsphere' | 'none' | 'external';

const PLATFORMS: readonly PlatformType[] = ['baremetal', 'nutanix', 'vsphere', 'none', 'external'];
export const V2_PLATFORM_TYPES = Type.Array(StringEnum<PlatformType>(PLATFORMS));
/** A single node has no second node that could take over a virtual address. */
const SINGLE_NODE_PLATFORMS: ReadonlySet<PlatformType> = new Set(['none', 'external']);

export interface PlatformQuestion {
  readonly version: string;
  readonly architecture: string;
  readonly isSingleNode: boolean;
  /** Manufacturers of the machines; undefined for a machine without an inventory. */
  readonly manufacturers: readonly (string | undefined)[];
}

/**
 * Returns the platforms that the version supports on the architecture, that the size of the cluster allows, and that
 * match every machine.
 */
export function supportedPlatforms(question: PlatformQuestion): readonly PlatformType[] {
  const { version, architecture, isSingleNode, manufacturers } = question;
  return PLATFORMS.filter((platform) => {
    if (isSingleNode && !SINGLE_NODE_PLATFORMS.has(platform)) return false;
    const level = platformLevel({ version, architecture, platform });
    if (!level || !isAvailable(level)) return false;
    return manufacturers.every((manufacturer) => isCompatibleManufacturer(platform, manufacturer ?? ''));
  });
}

@Controller('v2/clusters/:cluster_id')
export class ClusterRequirementsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get('supported-platforms')
  @Answers('List the platforms that the cluster can be installed on with its hosts.', V2_PLATFORM_TYPES)
  @Accepts('userAuth')
  async listSupportedPlatforms(@Param('cluster_id', IdPipe) clusterId: string): Promise<readonly PlatformType[]> {
    const cluster = await this.clusters.document(clusterId);
    const hosts = await this.hosts.documentsOfCluster(clusterId);
    return supportedPlatforms({
      version: cluster.openshift_version,
      architecture: cluster.cpu_architecture,
      isSingleNode: cluster.control_plane_count === 1,
      manufacturers: hosts.map(({ _sizes: sizes }) => sizes?.vendor),
    });
  }

  @Get('preflight-requirements')
  @Answers('Get the hardware requirements of hosts and operators.', V2_PREFLIGHT_REQUIREMENTS)
  @Accepts('userAuth')
  async showPreflightRequirements(@Param('cluster_id', IdPipe) clusterId: string): Promise<V2PreflightRequirements> {
    const { requirements, operatorSettings } = this.config;
    return preflightRequirements(await this.clusters.document(clusterId), requirements, operatorSettings);
  }
}
