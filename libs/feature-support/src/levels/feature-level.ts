import type { Feature, FeatureId, LevelCondition, LevelRow } from '../feature';
import { ARCHITECTURES } from './architectures.table';
import {
  canonicalArchitecture,
  isUsable,
  type LeveledFeature,
  type SupportLevel,
  type UnavailableReason,
} from './support-level';
import { isInRange } from './version-range';

/** What a level is asked for. Empty or absent: not asked. */
export interface SupportQuery {
  readonly version: string;
  readonly architecture: string;
  readonly platform?: string;
  /** Counts with platform external only. */
  readonly externalPlatformName?: string;
}

/** The level of an architecture on a version; one that is not in the table is unavailable. */
export function architectureLevel(architecture: string, version: string): SupportLevel {
  const row = ARCHITECTURES.find(({ name }) => name === canonicalArchitecture(architecture));
  return row?.levels.find((range) => isInRange(version, range))?.level ?? 'unavailable';
}

/** Whether the feature exists on an architecture of a version. */
export function existsOn({ missingOn }: Feature, { architecture, version }: SupportQuery): boolean {
  const name = canonicalArchitecture(architecture);
  return !missingOn.some((row) => row.architectures.some((one) => one === name) && isInRange(version, row));
}

/** An architecture that the feature does not exist on wins over everything else; then the rows of the feature, in order. */
export function featureLevel(feature: Feature, query: SupportQuery): LeveledFeature {
  if (!existsOn(feature, query)) return { level: 'unavailable', reason: 'cpuArchitecture' };
  const row = feature.levels.find((condition) => holds(condition, query));
  if (!row) throw new Error(`Feature ${feature.id} has no level for every case.`);
  const { level } = row;
  return isUsable(level) ? { level } : { level, reason: row.reason ?? reasonOf(row) };
}

/** What cannot be used together with the feature in a version. */
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
