import { type Feature, type FeatureFacts, type FeatureId, isAvailable } from '../feature';
import { architectureLevel, excludedBy, existsOn, featureLevel } from '../levels/support-levels';
import { FEATURES } from './feature.table';

/** Where the features are to be had. Empty: not known, and then nothing is held against it. */
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

/** Every reason against the features that are active, those of the version first; none: the combination is fine. */
export function checkFeatures(facts: FeatureFacts, place: FeaturePlace): readonly FeatureConflict[] {
  const active = activeFeatures(facts);
  return [...againstPlace(active, place), ...againstEachOther(active, place.version)];
}

/** Where one of the two names the other: not every row is repeated on the other side. */
export function excludeEachOther(first: Feature, second: Feature, version: string): boolean {
  const names = (one: Feature, other: FeatureId): boolean => excludedBy(one, version).includes(other);
  return names(first, second.id) || names(second, first.id);
}

/** Formats a conflict: the feature and what excludes it. */
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

/** Field of the contract that a conflict is about. */
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

function againstEachOther(active: readonly Feature[], version: string): readonly FeatureConflict[] {
  return active.flatMap((feature, index) =>
    active
      .slice(index + 1)
      .filter((other) => excludeEachOther(feature, other, version))
      .map((other): FeatureConflict => ({ kind: 'exclude-each-other', feature, other })),
  );
}
