/** Filled in below. */
export const WORDS: ReadonlyMap<string, string> = new Map<string, string>([]);
