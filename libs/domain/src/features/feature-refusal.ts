import type { ClusterSettings, Plain } from '@muster/contracts';
import {
  checkFeatures,
  describeConflict,
  type FeatureConflict,
  type FeatureFacts,
  type FeaturePlace,
  fieldOfConflict,
} from '@muster/feature-support';
import { withDependencies } from '@muster/operators';

/** What is, or would be, chosen and where. */
export interface FeatureChoice {
  readonly facts: FeatureFacts;
  readonly place: FeaturePlace;
}

/** What the settings of a cluster say of its features. */
export function clusterFeatureFacts(settings: Plain<ClusterSettings>): FeatureFacts {
  return {
    controlPlaneCount: settings.controlPlaneCount,
    userManagedNetworking: settings.userManagedNetworking,
    vipDhcpAllocation: settings.vipDhcpAllocation,
    loadBalancerType: settings.loadBalancerType,
    networkType: settings.networkType,
    platformType: settings.platformType,
    externalPlatformName: externalPlatformNameOf(settings),
    machineNetworks: settings.machineNetworks?.items,
    serviceNetworks: settings.serviceNetworks?.items,
    clusterNetworks: settings.clusterNetworks?.items.map(({ cidr }) => cidr),
    apiVips: settings.apiVips?.items,
    operators:
      settings.olmOperators &&
      withDependencies(
        settings.olmOperators.items.map(({ name }) => name),
        { isSingleNode: settings.controlPlaneCount === 1 },
      ),
  };
}

/** The first conflict that a choice brings in; one that was there before is not held against it. */
export function newConflict(
  choice: FeatureChoice,
  before: FeatureChoice | undefined,
): { readonly subject: string; readonly reason: string } | undefined {
  const known = new Set(before ? conflictsOf(before).map(identityOf) : []);
  const conflict = conflictsOf(choice).find((one) => !known.has(identityOf(one)));
  return conflict && { subject: fieldOfConflict(conflict), reason: describeConflict(conflict, choice.place) };
}

const conflictsOf = ({ facts, place }: FeatureChoice): readonly FeatureConflict[] => checkFeatures(facts, place);

function identityOf(conflict: FeatureConflict): string {
  if (conflict.kind === 'architecture-without-version') return conflict.kind;
  const other = conflict.kind === 'exclude-each-other' ? conflict.other.id : '';
  return `${conflict.kind} ${conflict.feature.id} ${other}`;
}

function externalPlatformNameOf({ platformDetails }: Plain<ClusterSettings>): string | undefined {
  const external = platformDetails?.['external'];
  if (typeof external !== 'object' || external === null || Array.isArray(external)) return undefined;
  const name = (external as { readonly [member: string]: unknown })['platform_name'];
  return typeof name === 'string' ? name : undefined;
}
