import { type Feature, isFencedPair } from '../feature';

const SINGLE_NODE_LEVELS: Feature['levels'] = [
  { platforms: ['nutanix', 'vsphere'], level: 'unavailable' },
  { architectures: ['s390x', 'ppc64le'], line: '4.13', level: 'dev-preview' },
  { level: 'supported' },
];
const SINGLE_NODE_MISSING: Feature['missingOn'] = [{ architectures: ['s390x', 'ppc64le'], before: '4.13' }];
const NOT_ON_METAL = { platformsOtherThan: ['baremetal', 'none'], level: 'unavailable' } as const;

/** Features of the topology of a cluster and of the image that its hosts boot. */
export const GENERAL_FEATURES: readonly Feature[] = [
  {
    id: 'SNO',
    name: 'Single Node OpenShift',
    levels: SINGLE_NODE_LEVELS,
    missingOn: SINGLE_NODE_MISSING,
    excludes: [
      {
        features: [
          'ODF',
          'NUTANIX_INTEGRATION',
          'VSPHERE_INTEGRATION',
          'CLUSTER_MANAGED_NETWORKING',
          'VIP_AUTO_ALLOC',
          'USER_MANAGED_LOAD_BALANCER',
          'NODE_HEALTHCHECK',
          'SELF_NODE_REMEDIATION',
          'FENCE_AGENTS_REMEDIATION',
          'NODE_MAINTENANCE',
          'KUBE_DESCHEDULER',
        ],
      },
      { features: ['DUAL_STACK_PRIMARY_IPV6'], before: '4.19' },
    ],
    isPlatform: false,
    field: 'control_plane_count',
    isActive: ({ controlPlaneCount }) => controlPlaneCount === 1,
  },
  {
    id: 'TNA',
    name: 'TNA Clusters',
    levels: [
      NOT_ON_METAL,
      { platforms: ['none'], before: '4.22', level: 'unavailable', reason: 'platform' },
      { line: '4.19', level: 'tech-preview' },
      { since: '4.20', level: 'supported' },
      { level: 'unavailable', reason: 'openshiftVersion' },
    ],
    missingOn: [],
    excludes: [
      { features: ['NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION', 'EXTERNAL_PLATFORM', 'EXTERNAL_PLATFORM_OCI'] },
      { features: ['NONE_PLATFORM'], before: '4.22' },
    ],
    isPlatform: false,
    field: 'host_role',
    isActive: ({ controlPlaneHosts = [] }) => controlPlaneHosts.some(({ role }) => role === 'arbiter'),
  },
  {
    id: 'TNF',
    name: 'TNF Clusters',
    levels: [
      NOT_ON_METAL,
      { since: '4.22', level: 'supported' },
      { since: '4.20', level: 'tech-preview' },
      { level: 'unavailable', reason: 'openshiftVersion' },
    ],
    missingOn: [],
    excludes: [
      { features: ['NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION', 'EXTERNAL_PLATFORM', 'EXTERNAL_PLATFORM_OCI'] },
    ],
    isPlatform: false,
    field: 'fencing_credentials',
    isActive: isFencedPair,
  },
  {
    id: 'CUSTOM_MANIFEST',
    name: 'Custom Manifest',
    levels: [{ level: 'supported' }],
    missingOn: [],
    excludes: [],
    isPlatform: false,
    field: 'manifests',
    isActive: () => false,
  },
  {
    id: 'SINGLE_NODE_EXPANSION',
    name: 'Single Node Expansion',
    levels: [{ before: '4.11', level: 'unavailable' }, ...SINGLE_NODE_LEVELS],
    missingOn: SINGLE_NODE_MISSING,
    excludes: [],
    isPlatform: false,
    field: 'control_plane_count',
    isActive: () => false,
  },
  {
    id: 'MINIMAL_ISO',
    name: 'Minimal ISO',
    levels: [{ level: 'supported' }],
    missingOn: [{ architectures: ['s390x'] }],
    excludes: [],
    isPlatform: false,
    field: 'image_type',
    isActive: ({ imageType }) => imageType === 'minimal-iso',
  },
  {
    id: 'FULL_ISO',
    name: 'Full ISO',
    levels: [
      {
        platforms: ['external'],
        externalPlatformName: 'oci',
        level: 'unavailable',
        reason: 'ociExternalIntegrationDisabled',
      },
      { level: 'supported' },
    ],
    missingOn: [],
    excludes: [{ features: ['EXTERNAL_PLATFORM_OCI'] }],
    isPlatform: false,
    field: 'image_type',
    isActive: ({ imageType }) => imageType === 'full-iso',
  },
  {
    id: 'NON_STANDARD_HA_CONTROL_PLANE',
    name: 'Non-standard HA OCP Control Plane',
    levels: [
      { before: '4.18', level: 'unavailable' },
      { platformsOtherThan: ['baremetal', 'none', 'external'], level: 'unavailable' },
      { level: 'supported' },
    ],
    missingOn: [{ architectures: ['arm64', 's390x', 'ppc64le', 'multi'] }],
    excludes: [{ features: ['NUTANIX_INTEGRATION', 'VSPHERE_INTEGRATION'] }],
    isPlatform: false,
    field: 'control_plane_count',
    isActive: ({ controlPlaneCount = 0 }) => controlPlaneCount > 3,
  },
];
