import type { Refusal } from '@muster/problems';
import { parseVersion } from './openshift-version';
import type { Feature, FeatureId } from '../feature';
import { featureOf, FEATURES } from '../features/feature.table';
import { ARCHITECTURES, type ArchitectureId } from './architectures.table';
import { architectureLevel, excludedBy, featureLevel, type SupportQuery } from './feature-level';
import { isAvailable, type LeveledFeature, type SupportLevel } from './support-level';

export type FeatureLevels = { readonly [Id in FeatureId]?: SupportLevel };
export type ArchitectureLevels = { readonly [Id in ArchitectureId]: SupportLevel };

/** A feature with everything that decides whether it can be chosen. */
export interface DetailedFeature extends LeveledFeature {
  readonly id: FeatureId;
  readonly incompatibilities: readonly FeatureId[];
  /** Name of the OLM operator that this is. */
  readonly operator?: string;
}

export type DetailedFeatures =
  | { readonly kind: 'listed'; readonly features: readonly DetailedFeature[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const PLATFORM_FEATURE: ReadonlyMap<string, FeatureId> = new Map([
  ['baremetal', 'BAREMETAL_PLATFORM'],
  ['none', 'NONE_PLATFORM'],
  ['nutanix', 'NUTANIX_INTEGRATION'],
  ['vsphere', 'VSPHERE_INTEGRATION'],
  ['external', 'EXTERNAL_PLATFORM'],
  ['external/oci', 'EXTERNAL_PLATFORM_OCI'],
]);

/** The level of each feature. Versions are not checked: nothing that depends on one is available on a version that is none. */
export function featureLevels(query: SupportQuery): FeatureLevels {
  const isPossible = isAvailable({ level: architectureLevel(query.architecture, query.version) });
  if (!isPossible) return Object.fromEntries(FEATURES.map(({ id }) => [id, 'unavailable']));
  return Object.fromEntries(
    FEATURES.filter((feature) => isListed(feature, query)).map((feature) => [
      feature.id,
      featureLevel(feature, query).level,
    ]),
  );
}

export function architectureLevels(version: string): ArchitectureLevels {
  return Object.fromEntries(
    ARCHITECTURES.map(({ id, name }) => [id, architectureLevel(name, version)]),
  ) as ArchitectureLevels;
}

/** The level of a platform itself; undefined for a platform that is not known. */
export function platformLevel(query: SupportQuery): LeveledFeature | undefined {
  const { platform = '', externalPlatformName, version, architecture } = query;
  const isOci = platform === 'external' && externalPlatformName === 'oci';
  const id = PLATFORM_FEATURE.get(isOci ? 'external/oci' : platform);
  return id && featureLevel(featureOf(id), { version, architecture });
}

/** Levels, reasons and incompatibilities; refused when version, architecture and platform cannot be had together at all. */
export function detailedFeatures(query: SupportQuery): DetailedFeatures {
  const refusal = refusalOf(query);
  if (refusal) return { kind: 'refused', refusal };
  const listed = FEATURES.filter((feature) => isListed(feature, query));
  const ids = new Set(listed.map(({ id }) => id));
  return {
    kind: 'listed',
    features: listed.map((feature) => ({
      id: feature.id,
      ...featureLevel(feature, query),
      incompatibilities: excludedBy(feature, query.version).filter((id) => ids.has(id)),
      operator: feature.operator,
    })),
  };
}

/** A query with a platform omits platform features. A query without a platform has no network management. */
const isListed = ({ id, isPlatform }: Feature, { platform }: SupportQuery): boolean =>
  platform ? !isPlatform : id !== 'PLATFORM_MANAGED_NETWORKING';

function refusalOf(query: SupportQuery): Refusal | undefined {
  const { version, architecture, platform } = query;
  const shown = JSON.stringify(version.slice(0, 64));
  if (!parseVersion(version))
    return {
      code: 'invalid-input',
      subject: 'openshift_version',
      reason: `openshift_version ${shown} cannot be read; give one like 4.18 or 4.18.3.`,
    };
  if (!isAvailable({ level: architectureLevel(architecture, version) }))
    return {
      code: 'invalid-input',
      subject: 'cpu_architecture',
      reason: `Version ${version} does not exist for architecture ${architecture}.`,
    };
  const level = platform ? platformLevel(query)?.level : undefined;
  if (level !== 'unavailable' && level !== 'unsupported') return undefined;
  return {
    code: 'invalid-input',
    subject: 'platform_type',
    reason: `Platform ${platform} cannot be used with version ${version} on architecture ${architecture}.`,
  };
}
