import { compareNumbers, parseVersion, type VersionNumbers } from './openshift-version';
import type { VersionRange } from '../feature';

/** Whether a version is in the range; a range that says nothing has every version. Pre-releases count as their release. */
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
  if (!numbers) throw new Error(`The table names the version ${line}, which is none.`);
  return numbers;
}
