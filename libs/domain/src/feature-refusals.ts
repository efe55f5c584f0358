import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import {
  checkFeatures,
  type ControlPlaneHost,
  describeConflict,
  type FeatureConflict,
  type FeatureFacts,
  type FeaturePlace,
  fieldOfConflict,
} from '@muster/feature-support';
import { withDependencies } from '@muster/operators';
import type { Refusal } from '@muster/problems';
import { textAt } from '@muster/schema';
import type { ClusterKind } from './cluster/state';
import type { HostState } from './host/state';
import { infraEnvChanges, mergeInfraEnvSettings, withInfraEnvDefaults } from './infra-env/state';
import { imageArchitectureRefusal } from './permissions';

/** A selection of features and its context: version, architecture, platform. */
export interface FeatureChoice {
  readonly facts: FeatureFacts;
  readonly place: FeaturePlace;
}

/** Returns the features that the settings of a cluster select. */
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

/** Returns the first conflict that the new selection adds. Conflicts that existed before are ignored. */
export function newConflict(
  choice: FeatureChoice,
  before: FeatureChoice | undefined,
): { readonly subject: string; readonly reason: string } | undefined {
  const conflicts = conflictsOf(choice);
  if (conflicts.length === 0) return undefined;
  const known = new Set(before ? conflictsOf(before).map(identityOf) : []);
  const conflict = conflicts.find((one) => !known.has(identityOf(one)));
  return conflict && { subject: fieldToChange(conflict, before), reason: describeConflict(conflict, choice.place) };
}

/** Of two features that exclude each other, only the new one is in the request. */
function fieldToChange(conflict: FeatureConflict, before: FeatureChoice | undefined): string {
  const isOtherNew =
    before &&
    conflict.kind === 'exclude-each-other' &&
    conflict.feature.isActive(before.facts) &&
    !conflict.other.isActive(before.facts);
  return isOtherNew ? conflict.other.field : fieldOfConflict(conflict);
}

const conflictsOf = ({ facts, place }: FeatureChoice): readonly FeatureConflict[] => checkFeatures(facts, place);

function identityOf(conflict: FeatureConflict): string {
  if (conflict.kind === 'architecture-without-version') return conflict.kind;
  const other = conflict.kind === 'exclude-each-other' ? conflict.other.id : '';
  return `${conflict.kind} ${conflict.feature.id} ${other}`;
}

function externalPlatformNameOf({ platformDetails }: Plain<ClusterSettings>): string | undefined {
  return textAt(platformDetails, 'external', 'platform_name');
}

/** Returns the hosts that determine whether a cluster has arbiters or fenced nodes. */
export const controlPlaneHostsOf = (hosts: readonly Pick<HostState, 'role' | 'settings'>[]): ControlPlaneHost[] =>
  hosts.flatMap(({ role, settings }) =>
    role === 'master' || role === 'arbiter'
      ? [{ role, hasFencingCredentials: settings.fencingCredentialsSet ?? false }]
      : [],
  );

interface HostChoice {
  readonly role: string;
  readonly hasFencingCredentials: boolean;
}
/** The cluster of a host or of an image. */
type OwnCluster = { readonly kind: ClusterKind; readonly settings: Plain<ClusterSettings> };

/**
 * Returns a refusal when the cluster cannot use the role or the fencing credentials of a host, because of its version,
 * platform or other features.
 */
export function hostFeatureRefusal(host: HostChoice, { kind, settings }: OwnCluster): Refusal | undefined {
  // The features of an imported cluster were selected when it was installed.
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

/**
 * Fencing credentials are used in clusters of two nodes only. Returns whether this cluster could have two fenced nodes.
 */
function fencedPair(
  { facts, place }: FeatureChoice,
  controlPlaneHosts: readonly ControlPlaneHost[],
): readonly [FeatureChoice, FeatureChoice] {
  const pair = { ...facts, controlPlaneCount: 2 };
  return [
    { facts: { ...pair, controlPlaneHosts }, place },
    { facts: pair, place },
  ];
}

type Settings = Plain<InfraEnvSettings>;

/**
 * Returns a refusal when the features, the version or the architecture of the cluster do not support the image.
 * `before` is undefined for a new infra-env.
 */
export function infraEnvFeatureRefusal(
  given: Settings,
  before: Settings | undefined,
  cluster: OwnCluster | undefined,
): Refusal | undefined {
  const settings = before ? mergeInfraEnvSettings(before, infraEnvChanges(before, given)) : withInfraEnvDefaults(given);
  const mismatch = before || !cluster ? undefined : imageArchitectureRefusal(settings.cpuArchitecture ?? '', cluster);
  if (mismatch || cluster?.kind === 'AddHostsCluster') return mismatch;
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
