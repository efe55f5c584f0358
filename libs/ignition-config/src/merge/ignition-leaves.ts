import { isMapping, listOf, type Shape } from '../shape/shape';

const DISPLAYED_CHARACTERS_MAX = 60;

/** A leaf of a config: JSON is strict, `"true"` is no flag and `"420"` no number. Null counts as not given. */
export const is =
  (isRight: (value: unknown) => boolean, wanted: string): Shape =>
  (value, path, report) => {
    if (!isRight(value)) report(path, `${show(value)} is not ${wanted}.`);
  };

function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? 'nothing';
  return shown.length > DISPLAYED_CHARACTERS_MAX ? `${shown.slice(0, DISPLAYED_CHARACTERS_MAX)}…` : shown;
}

export const string = is((value) => typeof value === 'string', 'a text');
export const boolean = is((value) => typeof value === 'boolean', 'true or false');
export const number = is(Number.isInteger, 'a whole number');
export const strings = listOf(string);
export const word = (...words: readonly string[]): Shape =>
  is((value) => typeof value === 'string' && words.includes(value), `one of ${words.join(', ')}`);
export const matching = (pattern: RegExp, wanted: string): Shape =>
  is((value) => typeof value === 'string' && pattern.test(value), wanted);

/** Without steps back, which would lead somewhere else than the path says. */
export const absolutePath = is(
  (value) => typeof value === 'string' && /^\/(?!.*\0)/.test(value) && !value.split('/').includes('..'),
  'an absolute path without ".."',
);
export const mode = is(
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0o7777,
  'a file mode as a decimal number from 0 to 4095 (420 is 0644)',
);

/** Members that are known have to be right; Ignition passes over those that it does not know, and so does this. */
export function members(known: { readonly [name: string]: Shape }, required: readonly string[] = []): Shape {
  const shapes = new Map(Object.entries(known));
  return (value, path, report) => {
    if (!isMapping(value)) return report(path, `${show(value)} is not an object.`);
    for (const name of required)
      if (!Object.hasOwn(value, name) || value[name] === null) report(path, `${name} is missing.`);
    for (const [name, member] of Object.entries(value))
      if (member !== null && member !== undefined) shapes.get(name)?.(member, [...path, name], report);
  };
}
