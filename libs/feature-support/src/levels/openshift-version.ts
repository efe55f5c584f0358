import { keptByText } from '@muster/schema';

/** Major, minor, patch. A missing number counts as 0. The suffix of a pre-release or an architecture is omitted. */
export type VersionNumbers = readonly [number, number, number];

/** Matches a version of OpenShift, and not the build of an operating system image such as 9.6.20260112-0. */
export const VERSION = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:[-+](.*))?$/;

/** The tables name about 20 versions, and clusters are of few. */
const KEPT_VERSIONS_MAX = 500;

/** Returns the numbers of "4.18", "v4.18.3" or "4.18.52-multi". Undefined when the text is not a version. */
export const parseVersion: (text: string) => VersionNumbers | undefined = keptByText((text) => {
  const match = VERSION.exec(text);
  if (!match) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}, KEPT_VERSIONS_MAX);

/**
 * Returns whether a version is at least `minimum`. False when either text is not a version. A pre-release has the
 * features of its release: 4.18.0-ec.0 is at least 4.18.
 */
export function isAtLeast(version: string, minimum: string): boolean {
  const [actual, needed] = [parseVersion(version), parseVersion(minimum)];
  return actual !== undefined && needed !== undefined && compareNumbers(actual, needed) >= 0;
}

/** Compares only the numbers, as `isAtLeast` does. Negative when `first` is older. */
export function compareNumbers(first: VersionNumbers, second: VersionNumbers): number {
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

/**
 * Orders versions by age. Negative when `first` is older. A pre-release is older than its release: 5.0.0-ec.5 is before
 * 5.0.0. The suffix "-multi" is an architecture and is ignored. A text that is not a version is the oldest.
 */
export function compareVersions(first: string, second: string): number {
  const byNumbers = compareNumbers(parseVersion(first) ?? NO_NUMBERS, parseVersion(second) ?? NO_NUMBERS);
  if (byNumbers !== 0) return byNumbers;
  const [one, other] = [preReleaseOf(first), preReleaseOf(second)];
  if (one === other) return 0;
  if (one === '') return 1;
  if (other === '') return -1;
  return one.localeCompare(other, 'en', { numeric: true });
}

const NO_NUMBERS: VersionNumbers = [0, 0, 0];
const preReleaseOf = (version: string): string => VERSION.exec(version.replace(/-multi$/, ''))?.[4] ?? '';

/** Returns "4.18" for "4.18.52-multi". Returns the text itself when it is not a version. */
export function majorMinor(version: string): string {
  const match = /^(\d+\.\d+)/.exec(version);
  return match?.[1] ?? version;
}
