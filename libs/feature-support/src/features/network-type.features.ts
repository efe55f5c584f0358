import type { Feature, FeatureId } from '../feature';

interface NetworkType {
  readonly id: FeatureId;
  readonly name: string;
  /** `network_type` of the contract. */
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

/** A cluster has one network plug-in. */
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
