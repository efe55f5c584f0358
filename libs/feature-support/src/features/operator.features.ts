import type {
  ArchitectureName,
  Excludes,
  Feature,
  FeatureFacts,
  FeatureId,
  FirstMatch,
  LevelRow,
  MissingOn,
} from '../feature';

type OperatorRow = Pick<Feature, 'id' | 'name' | 'levels'> &
  Partial<Pick<Feature, 'isActive'>> & {
    readonly operator: string;
    readonly missingOn?: readonly MissingOn[];
    readonly excludes?: readonly Excludes[];
  };

const SUPPORTED: FirstMatch<LevelRow> = [{ level: 'supported' }];
const DEV_PREVIEW: FirstMatch<LevelRow> = [{ level: 'dev-preview' }];
const OCI = { platforms: ['external'], externalPlatformName: 'oci' } as const;

const on = (...architectures: ArchitectureName[]): readonly MissingOn[] => [{ architectures }];
const excluding = (...features: FeatureId[]): readonly Excludes[] => [{ features }];
const without = (...platforms: string[]): LevelRow => ({ platforms, level: 'unavailable' });
const since = (line: string): LevelRow => ({ before: line, level: 'unavailable' });

const chosen =
  (...names: string[]) =>
  ({ operators = [] }: FeatureFacts): boolean =>
    names.some((name) => operators.includes(name));

const ROWS: readonly OperatorRow[] = [
  {
    id: 'LVM',
    operator: 'lvm',
    name: 'Logical Volume Management',
    levels: [since('4.11'), without('vsphere', 'nutanix'), { line: '4.11', level: 'dev-preview' }, ...SUPPORTED],
    missingOn: on('s390x', 'ppc64le'),
    excludes: [
      { features: ['NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION', 'ODF'] },
      { features: ['VIP_AUTO_ALLOC', 'CLUSTER_MANAGED_NETWORKING'], before: '4.15' },
    ],
  },
  {
    id: 'ODF',
    operator: 'odf',
    name: 'OpenShift Data Foundation',
    levels: [{ ...OCI, level: 'unavailable', reason: 'ociExternalIntegrationDisabled' }, ...SUPPORTED],
    missingOn: on('arm64'),
    excludes: excluding('SNO', 'LVM', 'EXTERNAL_PLATFORM_OCI'),
    // Clients still use its former name.
    isActive: chosen('odf', 'ocs'),
  },
  { id: 'LSO', operator: 'lso', name: 'Local Storage Operator', levels: SUPPORTED, missingOn: on('arm64') },
  {
    id: 'CNV',
    operator: 'cnv',
    name: 'OpenShift Virtualization',
    levels: [without('nutanix', 'vsphere'), { architectures: ['arm64'], level: 'dev-preview' }, ...SUPPORTED],
    missingOn: [...on('s390x', 'ppc64le'), { architectures: ['arm64'], before: '4.14' }],
    excludes: excluding('NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION'),
  },
  {
    id: 'MCE',
    operator: 'mce',
    name: 'multicluster engine',
    levels: [since('4.10'), without('nutanix'), ...SUPPORTED],
    excludes: excluding('NUTANIX_INTEGRATION'),
  },
  {
    id: 'MTV',
    operator: 'mtv',
    name: 'OpenShift Migration Toolkit for Virtualization',
    levels: [without('vsphere', 'nutanix'), since('4.14'), ...SUPPORTED],
    missingOn: on('arm64', 's390x', 'ppc64le'),
    excludes: excluding('NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION'),
    // Without virtualization there is no target for a migration.
    isActive: (facts) => chosen('mtv')(facts) && chosen('cnv')(facts),
  },
  {
    id: 'OSC',
    operator: 'osc',
    name: 'OpenShift sandboxed containers',
    levels: [without('vsphere', 'nutanix'), since('4.10'), ...SUPPORTED],
    missingOn: on('arm64', 's390x', 'ppc64le'),
    excludes: excluding('NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION'),
  },
  {
    id: 'NMSTATE',
    operator: 'nmstate',
    name: 'Nmstate node network configuration',
    levels: [without('nutanix', 'external'), since('4.12'), ...SUPPORTED],
    missingOn: on('arm64', 's390x', 'ppc64le'),
    excludes: excluding('NUTANIX_INTEGRATION', 'EXTERNAL_PLATFORM', 'EXTERNAL_PLATFORM_OCI'),
  },
  {
    id: 'NODE_FEATURE_DISCOVERY',
    operator: 'node-feature-discovery',
    name: 'Node Feature Discovery',
    levels: [since('4.6'), ...DEV_PREVIEW],
    missingOn: on('s390x', 'ppc64le'),
  },
  {
    id: 'NVIDIA_GPU',
    operator: 'nvidia-gpu',
    name: 'NVIDIA GPU',
    levels: DEV_PREVIEW,
    missingOn: on('arm64', 's390x', 'ppc64le'),
  },
  {
    id: 'AMD_GPU',
    operator: 'amd-gpu',
    name: 'AMD GPU',
    levels: DEV_PREVIEW,
    missingOn: on('arm64', 's390x', 'ppc64le'),
  },
  { id: 'KMM', operator: 'kmm', name: 'Kernel Module Management', levels: DEV_PREVIEW },
  { id: 'PIPELINES', operator: 'pipelines', name: 'Pipelines', levels: DEV_PREVIEW },
  { id: 'SERVICEMESH', operator: 'servicemesh', name: 'ServiceMesh', levels: DEV_PREVIEW },
  { id: 'SERVERLESS', operator: 'serverless', name: 'ServerLess', levels: DEV_PREVIEW },
  {
    id: 'OPENSHIFT_AI',
    operator: 'openshift-ai',
    name: 'OpenShift AI',
    levels: [since('4.12'), { ...OCI, level: 'unavailable', reason: 'ociExternalIntegrationDisabled' }, ...DEV_PREVIEW],
    missingOn: on('arm64', 's390x', 'ppc64le'),
    excludes: excluding('EXTERNAL_PLATFORM_OCI'),
  },
  { id: 'AUTHORINO', operator: 'authorino', name: 'Authorino', levels: DEV_PREVIEW, missingOn: on('arm64') },
  {
    id: 'NODE_HEALTHCHECK',
    operator: 'node-healthcheck',
    name: 'Node Healthcheck',
    levels: SUPPORTED,
    excludes: excluding('SNO'),
  },
  {
    id: 'SELF_NODE_REMEDIATION',
    operator: 'self-node-remediation',
    name: 'Self Node Remediation',
    levels: [{ level: 'tech-preview' }],
    excludes: excluding('SNO'),
  },
  {
    id: 'FENCE_AGENTS_REMEDIATION',
    operator: 'fence-agents-remediation',
    name: 'Fence Agents Remediation',
    levels: SUPPORTED,
    excludes: excluding('SNO'),
  },
  {
    id: 'NODE_MAINTENANCE',
    operator: 'node-maintenance',
    name: 'Node Maintenance Operator',
    levels: SUPPORTED,
    excludes: excluding('SNO'),
  },
  {
    id: 'KUBE_DESCHEDULER',
    operator: 'kube-descheduler',
    name: 'Kube Descheduler',
    levels: SUPPORTED,
    excludes: excluding('SNO'),
  },
  { id: 'CLUSTER_OBSERVABILITY', operator: 'cluster-observability', name: 'Cluster Observability', levels: SUPPORTED },
  { id: 'NUMA_RESOURCES', operator: 'numaresources', name: 'NUMA Resources', levels: SUPPORTED },
  { id: 'OADP', operator: 'oadp', name: 'OADP Operator', levels: SUPPORTED },
  { id: 'METALLB', operator: 'metallb', name: 'MetalLB', levels: [since('4.11'), ...SUPPORTED] },
  { id: 'LOKI', operator: 'loki', name: 'Loki Operator', levels: [since('4.17'), ...SUPPORTED] },
  {
    id: 'OPENSHIFT_LOGGING',
    operator: 'openshift-logging',
    name: 'Red Hat OpenShift Logging Operator',
    levels: [since('4.17'), ...SUPPORTED],
  },
];

/** Features of OLM operators. */
export const OPERATOR_FEATURES: readonly Feature[] = ROWS.map((row) => ({
  missingOn: [],
  excludes: [],
  isActive: chosen(row.operator),
  ...row,
  isPlatform: false,
  field: 'olm_operators',
}));
