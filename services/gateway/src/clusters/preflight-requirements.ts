import { Type } from '@sinclair/typebox';
import { type ClusterDocument, type Static } from '@muster/assisted-api';
import {
  NOTHING_AHEAD,
  type OperatorCluster,
  type OperatorPlugin,
  OPERATORS,
  type OperatorSettings,
} from '@muster/operators';
import { type HostRequirements, parseVersion, requirementsOf, type RequirementsTable } from '@muster/validation-rules';

/** `cluster-host-requirements-details` of the contract. */
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

/** `preflight-hardware-requirements` of the contract. */
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

/** What machines need to have, before any of them is known: for OpenShift, and for every operator that could be chosen. */
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
    operators:
      cluster.kind === 'AddHostsCluster'
        ? []
        : (OPERATORS as readonly OperatorPlugin[]).map((one) => ofOperator(one, known)),
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

/** Messages of `enable_on` that mean a role. */
const ENCRYPTED: Readonly<Record<Role, readonly string[]>> = { master: ['masters', 'all'], worker: ['workers', 'all'] };

function needsTpm({ disk_encryption: encryption }: Asked, role: Role): boolean {
  if (encryption?.mode !== 'tpmv2') return false;
  const roles = String(encryption.enable_on ?? '').split(',');
  return ENCRYPTED[role].some((word) => roles.includes(word));
}
