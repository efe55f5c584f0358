/** Major, minor, patch; what is missing counts as 0 and a pre-release suffix does not count. */
export type VersionNumbers = readonly [number, number, number];

export function parseVersion(text: string): VersionNumbers | undefined {
  const match = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:[-+].*)?$/.exec(text);
  if (!match) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

export function compareVersions(first: VersionNumbers, second: VersionNumbers): number {
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}

/** False when either text is not a version. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [actual, needed] = [parseVersion(version), parseVersion(minimum)];
  return actual !== undefined && needed !== undefined && compareVersions(actual, needed) >= 0;
}
