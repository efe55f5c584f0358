import type { Refusal } from '@muster/problems';
import { recordOf } from '@muster/schema';
import { compareNumbers, parseVersion, type VersionNumbers } from './openshift-version';
import {
  type ArchitectureName,
  canonicalArchitecture,
  type Feature,
  type FeatureId,
  type FirstMatch,
  isAvailable,
  isUsable,
  type LevelCondition,
  type LeveledFeature,
  type LevelRow,
  type SupportLevel,
  type UnavailableReason,
  type VersionRange,
} from '../feature';
import { featureOf, FEATURES } from '../features/feature.table';

/**
 * Returns whether a version is in the range. An empty range contains every version. Pre-releases count as their
 * release.
 */
export function isInRange(version: string, { before, line, since, unreadable = 'older' }: VersionRange): boolean {
  const numbers = parseVersion(version);
  if (before !== undefined && !isBefore(version, numbers, before, unreadable)) return false;
  if (line !== undefined && !(numbers && isOfLine(numbers, line))) return false;
  if (since !== undefined && !(numbers && compareNumbers(numbers, lineStart(since)) >= 0)) return false;
  return true;
}

function isBefore(
  version: string,
  numbers: VersionNumbers | undefined,
  line: string,
  unreadable: NonNullable<VersionRange['unreadable']>,
): boolean {
  if (numbers) return compareNumbers(numbers, lineStart(line)) < 0;
  return unreadable === 'older' || (unreadable === 'older-if-empty' && version === '');
}

function isOfLine([major, minor]: VersionNumbers, line: string): boolean {
  const [wantedMajor, wantedMinor] = lineStart(line);
  return major === wantedMajor && minor === wantedMinor;
}

function lineStart(line: string): VersionNumbers {
  const numbers = parseVersion(line);
  if (!numbers) throw new Error(`The table contains ${line}, which is not a version.`);
  return numbers;
}

/** `architecture-support-level-id` of the v2 API. */
export type ArchitectureId =
  | 'X86_64_ARCHITECTURE'
  | 'ARM64_ARCHITECTURE'
  | 'S390X_ARCHITECTURE'
  | 'PPC64LE_ARCHITECTURE'
  | 'MULTIARCH_RELEASE_IMAGE';

/** A processor architecture, or multi for a release with several. */
export interface Architecture {
  readonly id: ArchitectureId;
  readonly name: ArchitectureName;
  readonly levels: FirstMatch<VersionRange & { readonly level: SupportLevel }>;
}

const SINCE_4_12: Architecture['levels'] = [
  { before: '4.12', level: 'unavailable' },
  { line: '4.12', level: 'tech-preview' },
  { level: 'supported' },
];

export const ARCHITECTURES: readonly Architecture[] = [
  { id: 'X86_64_ARCHITECTURE', name: 'x86_64', levels: [{ level: 'supported' }] },
  {
    id: 'ARM64_ARCHITECTURE',
    name: 'arm64',
    levels: [{ before: '4.10', level: 'unavailable' }, { level: 'supported' }],
  },
  { id: 'S390X_ARCHITECTURE', name: 's390x', levels: SINCE_4_12 },
  { id: 'PPC64LE_ARCHITECTURE', name: 'ppc64le', levels: SINCE_4_12 },
  {
    id: 'MULTIARCH_RELEASE_IMAGE',
    name: 'multi',
    levels: [{ before: '4.11', level: 'unavailable' }, { level: 'tech-preview' }],
  },
];

/** The query for a level. Empty or absent members are ignored. */
export interface SupportQuery {
  readonly version: string;
  readonly architecture: string;
  readonly platform?: string;
  /** Used with platform external only. */
  readonly externalPlatformName?: string;
}

/** Returns the level of an architecture in a version. Architectures that are not in the table are unavailable. */
export function architectureLevel(architecture: string, version: string): SupportLevel {
  const row = ARCHITECTURES.find(({ name }) => name === canonicalArchitecture(architecture));
  return row?.levels.find((range) => isInRange(version, range))?.level ?? 'unavailable';
}

/** Returns whether the feature exists on an architecture in a version. */
export function existsOn({ missingOn }: Feature, { architecture, version }: SupportQuery): boolean {
  const name = canonicalArchitecture(architecture);
  return !missingOn.some((row) => row.architectures.some((one) => one === name) && isInRange(version, row));
}

/**
 * Returns the level of a feature. An architecture without the feature takes precedence. Then the first matching row of
 * the feature applies.
 */
export function featureLevel(feature: Feature, query: SupportQuery): LeveledFeature {
  if (!existsOn(feature, query)) return { level: 'unavailable', reason: 'cpuArchitecture' };
  const row = feature.levels.find((condition) => holds(condition, query));
  if (!row) throw new Error(`Feature ${feature.id} has no level for every case.`);
  const { level } = row;
  return isUsable(level) ? { level } : { level, reason: row.reason ?? reasonOf(row) };
}

/** Returns the features that cannot be combined with the feature in a version. */
export function excludedBy({ excludes }: Feature, version: string): readonly FeatureId[] {
  return excludes.filter((row) => isInRange(version, row)).flatMap(({ features }) => features);
}

function holds(condition: LevelCondition, { version, architecture, platform, externalPlatformName }: SupportQuery) {
  const { platforms, platformsOtherThan, architectures } = condition;
  if (platforms && !(platform && platforms.includes(platform))) return false;
  if (platformsOtherThan && !(platform && !platformsOtherThan.includes(platform))) return false;
  if (condition.externalPlatformName !== undefined && condition.externalPlatformName !== externalPlatformName)
    return false;
  if (architectures && !architectures.some((name) => name === canonicalArchitecture(architecture))) return false;
  return isInRange(version, condition);
}

function reasonOf({ platforms, platformsOtherThan, architectures }: LevelRow): UnavailableReason {
  if (platforms || platformsOtherThan) return 'platform';
  return architectures ? 'cpuArchitecture' : 'openshiftVersion';
}

export type FeatureLevels = { readonly [Id in FeatureId]?: SupportLevel };
const ARCHITECTURE_IDS: readonly ArchitectureId[] = ARCHITECTURES.map(({ id }) => id);

export type ArchitectureLevels = { readonly [Id in ArchitectureId]: SupportLevel };

/** A feature with all data that determines whether it can be selected. */
export interface DetailedFeature extends LeveledFeature {
  readonly id: FeatureId;
  readonly incompatibilities: readonly FeatureId[];
  /** Name of the OLM operator of the feature. */
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

/**
 * Returns the level of each feature. Versions are not checked: features that depend on a version are unavailable with
 * an invalid version.
 */
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
  return recordOf(ARCHITECTURE_IDS, (id) =>
    architectureLevel(ARCHITECTURES.find((one) => one.id === id)?.name ?? '', version),
  );
}

/** Returns the level of a platform. Undefined for an unknown platform. */
export function platformLevel(query: SupportQuery): LeveledFeature | undefined {
  const { platform = '', externalPlatformName, version, architecture } = query;
  const isOci = platform === 'external' && externalPlatformName === 'oci';
  const id = PLATFORM_FEATURE.get(isOci ? 'external/oci' : platform);
  return id && featureLevel(featureOf(id), { version, architecture });
}

/**
 * Returns levels, reasons and incompatibilities. Returns a refusal when version, architecture and platform cannot be
 * combined.
 */
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
      reason: `openshift_version ${shown} is not valid. Use a version such as 4.18 or 4.18.3.`,
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
