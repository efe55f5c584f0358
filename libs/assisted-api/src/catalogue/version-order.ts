/** "4.18" of "4.18.52-multi"; the text itself when it is no version. */
export function majorMinor(version: string): string {
  const match = /^(\d+\.\d+)/.exec(version);
  return match?.[1] ?? version;
}

/** Negative when `a` is older. A pre-release ("5.0.0-ec.5") is older than its release; "-multi" says nothing about age. */
export function compareVersions(a: string, b: string): number {
  const left = split(a);
  const right = split(b);
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.preRelease === right.preRelease) return 0;
  if (left.preRelease === '') return 1;
  if (right.preRelease === '') return -1;
  return left.preRelease.localeCompare(right.preRelease, 'en', { numeric: true });
}

function split(version: string): { readonly numbers: readonly number[]; readonly preRelease: string } {
  const [base = '', ...rest] = version.replace(/-multi$/, '').split('-');
  return { numbers: base.split('.').map((part) => Number(part) || 0), preRelease: rest.join('-') };
}
