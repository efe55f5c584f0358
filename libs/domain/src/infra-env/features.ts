import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import type { ClusterKind } from '../cluster/status';
import { clusterFeatureFacts, type FeatureChoice, newConflict } from '../features/feature-refusal';
import { infraEnvChanges, mergeInfraEnvSettings, withInfraEnvDefaults } from './settings';

type Settings = Plain<InfraEnvSettings>;
/** The cluster whose hosts boot the image. */
type OwnCluster = { readonly kind: ClusterKind; readonly settings: Plain<ClusterSettings> };

/** An image that the cluster's choices, its version or the architecture rule out; `before` is undefined for a new infra-env. */
export function infraEnvFeatureRefusal(
  given: Settings,
  before: Settings | undefined,
  cluster: OwnCluster | undefined,
): Refusal | undefined {
  if (cluster?.kind === 'AddHostsCluster') return undefined;
  const settings = before ? mergeInfraEnvSettings(before, infraEnvChanges(before, given)) : withInfraEnvDefaults(given);
  const conflict = newConflict(choiceOf(settings, cluster), before && choiceOf(before, cluster));
  return conflict && { code: 'invalid-input', ...conflict };
}

const choiceOf = (settings: Settings, cluster: OwnCluster | undefined): FeatureChoice => ({
  facts: { ...(cluster ? clusterFeatureFacts(cluster.settings) : {}), imageType: settings.imageType },
  place: {
    version: cluster?.settings.openshiftVersion ?? settings.openshiftVersion ?? '',
    architecture: settings.cpuArchitecture ?? '',
  },
});
