/** Are two plain JSON values the same? Members that are undefined count as absent; the order of members does not matter. */
export function isSameValue(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) return false;
  if (Array.isArray(first) !== Array.isArray(second)) return false;
  const [a, b] = [membersOf(first), membersOf(second)];
  return a.size === b.size && [...a].every(([name, value]) => b.has(name) && isSameValue(value, b.get(name)));
}

const membersOf = (value: object): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(value).filter(([, member]) => member !== undefined));
