import { passIf } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const THIRD_PARTY_NETWORK_TYPES = ['Cilium', 'Calico', 'CiscoACI', 'None'];
const OCI = 'oci';

export const CONFIGURATION_RULES: readonly ClusterRule[] = [
  {
    id: 'custom-manifests-requirements-satisfied',
    category: 'network',
    checks: 'A network type that OpenShift does not bring itself comes with a custom manifest.',
    excused: ({ settings }) =>
      THIRD_PARTY_NETWORK_TYPES.includes(settings.networkType) ? undefined : 'Network type needs no custom manifest',
    needs: [],
    claim: ({ settings }) => passIf(settings.hasCustomManifest, settings.networkType),
    explain: ({ passed, measured }) =>
      passed ? 'There are custom manifests' : `Network type ${measured} needs a custom manifest`,
    remedy: "Add the manifests of the network type's vendor to the cluster.",
    gate: 'ready',
  },
  {
    id: 'platform-requirements-satisfied',
    category: 'configuration',
    checks: 'A cluster on Oracle Cloud comes with a custom manifest.',
    excused: ({ settings }) =>
      settings.platformType === 'external' && settings.externalPlatformName === OCI
        ? undefined
        : 'Platform needs no custom manifest',
    needs: [],
    claim: ({ settings }) => passIf(settings.hasCustomManifest),
    explain: ({ passed }) => (passed ? 'There are custom manifests' : 'Oracle Cloud needs a custom manifest'),
    remedy: "Add the manifests of the platform's vendor to the cluster.",
    gate: 'none',
  },
];
