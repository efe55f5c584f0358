import { randomBytes } from 'node:crypto';

export interface CanaryWords {
  /** Returns a new unique value and stores it with its meaning. */
  readonly plant: (what: string) => string;
  /** Returns the text in base64 and stores it as another form of its planted values. */
  readonly base64: (text: string) => string;
  /** Returns the meanings of planted values that the text contains in any form, sorted, without duplicates. */
  readonly foundIn: (text: string) => readonly string[];
}

const WORD = /canary[0-9a-f]{16}/g;

/** Secrets with unique values. */
export function canaryWords(): CanaryWords {
  const whatOf = new Map<string, string>();
  const encoded = new Map<string, readonly string[]>();
  const wordsIn = (text: string): readonly string[] =>
    (text.match(WORD) ?? []).flatMap((word) => whatOf.get(word) ?? []);
  return {
    plant: (what) => {
      const word = `canary${randomBytes(8).toString('hex')}`;
      whatOf.set(word, what);
      encoded.set(Buffer.from(word).toString('base64'), [what]);
      return word;
    },
    base64: (text) => {
      const form = Buffer.from(text).toString('base64');
      encoded.set(form, wordsIn(text));
      return form;
    },
    foundIn: (text) => {
      const found = new Set(wordsIn(text));
      for (const [form, words] of encoded) if (text.includes(form)) for (const what of words) found.add(what);
      return [...found].sort();
    },
  };
}
