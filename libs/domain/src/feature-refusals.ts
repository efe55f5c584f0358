import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import {
  checkFeatures,
  describeConflict,
  type FeatureConflict,
  type FeatureFacts,
  type FeaturePlace,
  fieldOfConflict,
} from '@muster/feature-support';
import { withDependencies } from '@muster/operators';
import type { Refusal } from '@muster/problems';
import type { ClusterKind } from './cluster/state';
import { infraEnvChanges, mergeInfraEnvSettings, withInfraEnvDefaults } from './infra-env/state';

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

interface HostChoice {
  readonly role: string;
  readonly hasFencingCredentials: boolean;
}
/** The cluster of a host or of an image. */
type OwnCluster = { readonly kind: ClusterKind; readonly settings: Plain<ClusterSettings> };

/** A host whose role, or whose credentials, its cluster has no use for by its version, platform or other choices. */
export function hostFeatureRefusal(host: HostChoice, { kind, settings }: OwnCluster): Refusal | undefined {
  // What an existing cluster is made of was decided elsewhere.
  if (kind !== 'Cluster') return undefined;
  const place = { version: settings.openshiftVersion ?? '', architecture: settings.cpuArchitecture ?? '' };
  const facts = clusterFeatureFacts(settings);
  const master = { role: 'master', hasFencingCredentials: true } as const;
  const conflict =
    (host.role === 'arbiter' &&
      newConflict(
        { facts: { ...facts, controlPlaneHosts: [{ ...master, role: 'arbiter' }] }, place },
        { facts, place },
      )) ||
    (host.hasFencingCredentials && newConflict(...fencedPair({ facts, place }, [master, master])));
  return conflict ? { code: 'invalid-input', ...conflict } : undefined;
}

/** Credentials are of use to two nodes only: would such a pair be possible in this cluster? */
function fencedPair(
  { facts, place }: FeatureChoice,
  controlPlaneHosts: NonNullable<FeatureChoice['facts']['controlPlaneHosts']>,
): readonly [FeatureChoice, FeatureChoice] {
  const pair = { ...facts, controlPlaneCount: 2 };
  return [
    { facts: { ...pair, controlPlaneHosts }, place },
    { facts: pair, place },
  ];
}

type Settings = Plain<InfraEnvSettings>;

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
