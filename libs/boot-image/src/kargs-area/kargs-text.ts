import { BootImageError } from '../boot-image.error';

const VALUE_LENGTH_MAX = 1024;

/**
 * What no kernel argument may contain, and why. The text is written into the menus of two boot loaders: one is a
 * shell-like language, the other takes lines literally, and both must pass the same arguments to the kernel.
 */
const REFUSALS: ReadonlyArray<{ readonly pattern: RegExp; readonly reason: string }> = [
  { pattern: /^$/, reason: 'it is empty' },
  {
    pattern: /[^\x20-\x7e]/,
    reason: 'line breaks, tabs and characters outside ASCII would end or corrupt the boot menu entry',
  },
  { pattern: /[$\\`]/, reason: 'the boot loader would expand $, backslash and backtick' },
  { pattern: /'/, reason: "boot loaders disagree about '; use double quotes" },
];

/** The same for what is left of a value without its quoted parts. */
const UNQUOTED_REFUSALS: typeof REFUSALS = [
  { pattern: /"/, reason: 'a double quote is not closed' },
  { pattern: / /, reason: 'it contains a space outside double quotes; give each argument as a value of its own' },
  { pattern: /[;&|<>{}#]/, reason: 'the boot loader would act on ; & | < > { } # outside double quotes' },
];

/** Why a value cannot be a kernel argument, or undefined when it can. */
export function kargRefusal(value: string): string | undefined {
  if (value.length > VALUE_LENGTH_MAX) return `it is longer than ${VALUE_LENGTH_MAX} characters`;
  const unquoted = value.replace(/"[^"]*"/g, '');
  const refusal =
    REFUSALS.find(({ pattern }) => pattern.test(value)) ??
    UNQUOTED_REFUSALS.find(({ pattern }) => pattern.test(unquoted));
  return refusal?.reason;
}

/** Throws `hostile_karg` for the first value that is refused. */
export function assertKargs(values: readonly string[]): void {
  for (const value of values) {
    const reason = kargRefusal(value);
    if (reason !== undefined) throw new BootImageError({ code: 'hostile_karg', value: value.slice(0, 200), reason });
  }
}
