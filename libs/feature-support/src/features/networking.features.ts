import { type Feature, type FeatureId, isDualStack, isPrimaryIpv6 } from '../feature';

interface NetworkType {
  readonly id: FeatureId;
  readonly name: string;
  /** `network_type` of the v2 API. */
  readonly type: string;
}

const NETWORK_TYPES: readonly NetworkType[] = [
  { id: 'SDN_NETWORK_TYPE', name: 'Openshift SDN', type: 'OpenShiftSDN' },
  { id: 'OVN_NETWORK_TYPE', name: 'Openshift OVN', type: 'OVNKubernetes' },
  { id: 'CILIUM_NETWORK_TYPE', name: 'Cilium CNI', type: 'Cilium' },
  { id: 'CALICO_NETWORK_TYPE', name: 'Calico CNI', type: 'Calico' },
  { id: 'CISCO_ACI_NETWORK_TYPE', name: 'Cisco ACI CNI', type: 'CiscoACI' },
  { id: 'NONE_NETWORK_TYPE', name: 'None CNI', type: 'None' },
];

const SDN_LEVELS: Feature['levels'] = [
  { before: '4.15', unreadable: 'older-if-empty', level: 'supported' },
  { level: 'unavailable', reason: 'openshiftVersion' },
];

/** The network plug-ins. A cluster has exactly one. */
export const NETWORK_TYPE_FEATURES: readonly Feature[] = NETWORK_TYPES.map(({ id, name, type }) => ({
  id,
  name,
  levels: id === 'SDN_NETWORK_TYPE' ? SDN_LEVELS : [{ level: 'supported' }],
  missingOn: [],
  excludes: [{ features: NETWORK_TYPES.filter((other) => other.id !== id).map((other) => other.id) }],
  isPlatform: false,
  field: 'network_type',
  isActive: ({ networkType }) => networkType === type,
}));

const OCI = { platforms: ['external'], externalPlatformName: 'oci' } as const;

/** Features of address allocation and load balancing. */
export const NETWORKING_FEATURES: readonly Feature[] = [
  {
    id: 'VIP_AUTO_ALLOC',
    name: 'VIP Automatic Allocation',
    levels: [
      { platforms: ['external'], level: 'unavailable' },
      { before: '4.15', unreadable: 'older-if-empty', level: 'dev-preview' },
      { level: 'unavailable', reason: 'openshiftVersion' },
    ],
    missingOn: [],
    excludes: [
      {
        features: ['SNO', 'EXTERNAL_PLATFORM_OCI', 'NONE_PLATFORM', 'EXTERNAL_PLATFORM', 'USER_MANAGED_LOAD_BALANCER'],
      },
    ],
    isPlatform: false,
    field: 'vip_dhcp_allocation',
    isActive: ({ vipDhcpAllocation }) => vipDhcpAllocation === true,
  },
  {
    id: 'CLUSTER_MANAGED_NETWORKING',
    name: 'Cluster Managed Networking',
    levels: [{ platforms: ['external'], level: 'unavailable' }, { level: 'supported' }],
    missingOn: [{ architectures: ['s390x', 'ppc64le'] }, { architectures: ['arm64'], before: '4.11' }],
    excludes: [
      { features: ['SNO', 'USER_MANAGED_NETWORKING', 'EXTERNAL_PLATFORM_OCI', 'NONE_PLATFORM', 'EXTERNAL_PLATFORM'] },
    ],
    isPlatform: false,
    field: 'user_managed_networking',
    isActive: ({ userManagedNetworking }) => userManagedNetworking === false,
  },
  {
    id: 'USER_MANAGED_NETWORKING',
    name: 'User Managed Networking',
    levels: [{ platforms: ['nutanix'], level: 'unavailable' }, { level: 'supported' }],
    missingOn: [],
    excludes: [
      {
        features: [
          'CLUSTER_MANAGED_NETWORKING',
          'NUTANIX_INTEGRATION',
          'BAREMETAL_PLATFORM',
          'USER_MANAGED_LOAD_BALANCER',
        ],
      },
    ],
    isPlatform: false,
    field: 'user_managed_networking',
    isActive: ({ userManagedNetworking }) => userManagedNetworking === true,
  },
  {
    id: 'PLATFORM_MANAGED_NETWORKING',
    name: 'Platform managed networking',
    levels: [{ platformsOtherThan: ['external', 'none'], level: 'unsupported' }, { level: 'supported' }],
    missingOn: [],
    excludes: [{ features: ['BAREMETAL_PLATFORM', 'VSPHERE_INTEGRATION', 'NUTANIX_INTEGRATION'] }],
    isPlatform: false,
    field: 'platform.type',
    isActive: ({ platformType = '' }) => ['external', 'none'].includes(platformType),
  },
  {
    id: 'USER_MANAGED_LOAD_BALANCER',
    name: 'User Managed Load Balancer',
    levels: [{ before: '4.16', level: 'unavailable' }, { level: 'supported' }],
    missingOn: [],
    excludes: [
      {
        features: [
          'EXTERNAL_PLATFORM',
          'EXTERNAL_PLATFORM_OCI',
          'NONE_PLATFORM',
          'NUTANIX_INTEGRATION',
          'USER_MANAGED_NETWORKING',
          'VIP_AUTO_ALLOC',
          'DUAL_STACK',
          'DUAL_STACK_VIPS',
          'SNO',
          'DUAL_STACK_PRIMARY_IPV6',
        ],
      },
    ],
    isPlatform: false,
    field: 'load_balancer.type',
    isActive: ({ loadBalancerType }) => loadBalancerType === 'user-managed',
  },
  {
    id: 'DUAL_STACK',
    name: 'Dual-Stack',
    levels: [{ level: 'supported' }],
    missingOn: [],
    excludes: [{ features: ['USER_MANAGED_LOAD_BALANCER'] }, { features: ['VSPHERE_INTEGRATION'], before: '4.13' }],
    isPlatform: false,
    field: 'machine_networks',
    isActive: isDualStack,
  },
  {
    id: 'DUAL_STACK_VIPS',
    name: 'Dual-Stack VIPs',
    levels: [
      { before: '4.12', level: 'unavailable' },
      { ...OCI, level: 'unavailable', reason: 'ociExternalIntegrationDisabled' },
      { level: 'supported' },
    ],
    missingOn: [],
    excludes: [{ features: ['EXTERNAL_PLATFORM_OCI', 'USER_MANAGED_LOAD_BALANCER'] }],
    isPlatform: false,
    field: 'api_vips',
    isActive: ({ apiVips = [] }) => apiVips.length > 1,
  },
  {
    id: 'DUAL_STACK_PRIMARY_IPV6',
    name: 'Dual-Stack Primary IPv6',
    levels: [
      { platforms: ['nutanix', 'vsphere', 'external'], level: 'unavailable' },
      { before: '4.12', level: 'unavailable' },
      { level: 'tech-preview' },
    ],
    missingOn: [],
    excludes: [
      {
        features: [
          'USER_MANAGED_LOAD_BALANCER',
          'EXTERNAL_PLATFORM',
          'EXTERNAL_PLATFORM_OCI',
          'NUTANIX_INTEGRATION',
          'VSPHERE_INTEGRATION',
        ],
      },
      { features: ['SNO'], before: '4.19' },
    ],
    isPlatform: false,
    field: 'machine_networks',
    isActive: (facts) => isDualStack(facts) && isPrimaryIpv6(facts),
  },
];
