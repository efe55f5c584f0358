import { fail, pass, passBecause, passIf } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const THIRD_PARTY_NETWORK_TYPES = ['Cilium', 'Calico', 'CiscoACI', 'None'];
const OCI = 'oci';

export const CONFIGURATION_RULES: readonly ClusterRule[] = [
  {
    id: 'custom-manifests-requirements-satisfied',
    category: 'network',
    checks: 'A network type that is not part of OpenShift requires a custom manifest.',
    initial: passBecause('not-required'),
    excused: ({ settings }) => (THIRD_PARTY_NETWORK_TYPES.includes(settings.networkType) ? undefined : 'not-required'),
    needs: [],
    claim: ({ settings }) => (settings.hasCustomManifest ? pass() : fail(settings.networkType)),
    messages: {
      success: 'The cluster has custom manifests',
      failure: { message: 'Network type {0} requires a custom manifest', measured: '{0}' },
      'not-required': 'The network type requires no custom manifest',
    },
    remedy: 'Add the manifests of the vendor of the network type to the cluster.',
    gate: 'ready',
  },
  {
    id: 'platform-requirements-satisfied',
    category: 'configuration',
    checks: 'A cluster on Oracle Cloud requires a custom manifest.',
    initial: passBecause('not-required'),
    excused: ({ settings }) =>
      settings.platformType === 'external' && settings.externalPlatformName === OCI ? undefined : 'not-required',
    needs: [],
    claim: ({ settings }) => passIf(settings.hasCustomManifest),
    messages: {
      success: 'The cluster has custom manifests',
      failure: 'Oracle Cloud requires a custom manifest',
      'not-required': 'The platform requires no custom manifest',
    },
    remedy: 'Add the manifests of the vendor of the platform to the cluster.',
    gate: 'none',
  },
];
