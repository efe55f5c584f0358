import type { ClusterSettings, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import type { ClusterKind } from '../cluster/status';
import { clusterFeatureFacts, type FeatureChoice, newConflict } from '../features/feature-refusal';

interface HostChoice {
  readonly role: string;
  readonly hasFencingCredentials: boolean;
}
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
