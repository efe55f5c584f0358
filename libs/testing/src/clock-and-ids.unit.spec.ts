import { seededIds } from './clock-and-ids';

describe('seededIds', () => {
  it('return the same ids for the same seed and other ids for another seed', () => {
    const take = (seed: number): string[] => {
      const ids = seededIds(seed);
      return Array.from({ length: 1000 }, () => ids.uuid());
    };
    expect(take(7)).toEqual(take(7));
    expect(new Set([...take(7), ...take(8)]).size).toBe(2000);
  });

  it('are version 4 UUIDs in lower case', () => {
    const ids = seededIds(3);
    for (let i = 0; i < 1000; i += 1) {
      expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
