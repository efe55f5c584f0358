import type { Ids } from '@muster/ports';

/** Version 4 UUIDs that depend on the seed only, so that a failing run can be repeated. */
export const seededIds = (seed = 1): Ids => {
  const random = mulberry32(seed);
  return {
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => random().toString(16).padStart(8, '0')).join('');
      const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${variant}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join('-');
    },
  };
};

/** A small generator of 32-bit numbers: good enough to tell ids apart, never for keys. */
const mulberry32 = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
};
