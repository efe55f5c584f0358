import { type Feature, type FeatureFacts, isAvailable } from '../feature';
import { architectureLevel, excludedBy, existsOn, featureLevel } from '../levels/support-levels';
import { FEATURES } from './feature.table';

/** The version and architecture of the cluster. Empty: not known, and then not checked. */
export interface FeaturePlace {
  readonly version: string;
  readonly architecture: string;
}

/** Why a combination cannot be installed. */
export type FeatureConflict =
  | { readonly kind: 'architecture-without-version' }
  | { readonly kind: 'missing-on-architecture'; readonly feature: Feature }
  | { readonly kind: 'not-in-version'; readonly feature: Feature }
  | { readonly kind: 'exclude-each-other'; readonly feature: Feature; readonly other: Feature };

export function activeFeatures(facts: FeatureFacts): readonly Feature[] {
  return FEATURES.filter(({ isActive }) => isActive(facts));
}

/**
 * Returns every conflict of the active features, those with the version first. Empty: the combination can be installed.
 */
export function checkFeatures(facts: FeatureFacts, place: FeaturePlace): readonly FeatureConflict[] {
  const active = activeFeatures(facts);
  return [...againstPlace(active, place), ...againstEachOther(active, place.version)];
}

/** Returns the sentence for a conflict: the feature and what excludes it. */
export function describeConflict(conflict: FeatureConflict, { version, architecture }: FeaturePlace): string {
  switch (conflict.kind) {
    case 'architecture-without-version':
      return `Version ${version} does not exist for architecture ${architecture}.`;
    case 'missing-on-architecture':
      return `${conflict.feature.name} cannot be used on architecture ${architecture} with version ${version}.`;
    case 'not-in-version':
      return `${conflict.feature.name} cannot be used with version ${version}.`;
    case 'exclude-each-other':
      return `${conflict.feature.name} cannot be used together with ${conflict.other.name}.`;
    default:
      return conflict satisfies never;
  }
}

/** Returns the field of the v2 API for a conflict. */
export const fieldOfConflict = (conflict: FeatureConflict): string =>
  conflict.kind === 'architecture-without-version' ? 'cpu_architecture' : conflict.feature.field;

function againstPlace(active: readonly Feature[], place: FeaturePlace): readonly FeatureConflict[] {
  if (place.version === '' || place.architecture === '') return [];
  if (!isAvailable({ level: architectureLevel(place.architecture, place.version) }))
    return [{ kind: 'architecture-without-version' }];
  return active.flatMap((feature): readonly FeatureConflict[] => {
    if (!existsOn(feature, place)) return [{ kind: 'missing-on-architecture', feature }];
    return isAvailable(featureLevel(feature, place)) ? [] : [{ kind: 'not-in-version', feature }];
  });
}

/** One of two features excludes the other. Not every row is repeated for the other feature. */
function againstEachOther(active: readonly Feature[], version: string): readonly FeatureConflict[] {
  const excluded = active.map((feature) => excludedBy(feature, version));
  const conflicts: FeatureConflict[] = [];
  active.forEach((feature, index) => {
    active.forEach((other, at) => {
      if (at > index && (excluded[index]?.includes(other.id) || excluded[at]?.includes(feature.id)))
        conflicts.push({ kind: 'exclude-each-other', feature, other });
    });
  });
  return conflicts;
}
