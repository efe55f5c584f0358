/** Random numbers that depend only on the seed, so that a fleet can be reproduced. They must not be used for keys. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** `digits` hexadecimal digits in lower case. */
  hex(digits: number): string;
}

export function createRandom(seed: string): Random {
  let state = [...seed].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(''),
  };
}
