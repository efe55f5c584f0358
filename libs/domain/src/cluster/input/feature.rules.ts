import type { ClusterSettings, Plain } from '@muster/contracts';
import { clusterFeatureFacts, type FeatureChoice, newConflict } from '../../features/feature-refusal';
import type { ClusterInputRule } from './input-rule';

/** What is chosen has to exist in the version, on the architecture, and together. */
export const FEATURE_RULES: readonly ClusterInputRule[] = [
  {
    id: 'features-fit-together',
    subject: 'features',
    fields: [
      'openshiftVersion',
      'cpuArchitecture',
      'controlPlaneCount',
      'userManagedNetworking',
      'vipDhcpAllocation',
      'loadBalancerType',
      'networkType',
      'platformType',
      'platformDetails',
      'machineNetworks',
      'serviceNetworks',
      'clusterNetworks',
      'apiVips',
      'olmOperators',
    ],
    check: ({ settings, before, kind, imageArchitectures }) => {
      if (kind === 'AddHostsCluster') return undefined;
      const architectures = [settings.cpuArchitecture ?? '', ...imageArchitectures];
      return architectures
        .map((architecture) => newConflict(choiceOf(settings, architecture), before && choiceOf(before, architecture)))
        .find((conflict) => conflict !== undefined);
    },
  },
];

const choiceOf = (settings: Plain<ClusterSettings>, architecture: string): FeatureChoice => ({
  facts: clusterFeatureFacts(settings),
  place: { version: settings.openshiftVersion ?? '', architecture },
});
