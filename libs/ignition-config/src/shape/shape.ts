export type Path = readonly (string | number)[];

/** Reports a problem at a place of the document. */
export type Report = (path: Path, problem: string) => void;

export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** Checks a value read from YAML and reports what is wrong with it; never throws. */
export type Shape = (value: unknown, path: Path, report: Report) => void;

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$/i;
const INFINIBAND_MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){19}$/i;
/** What the kernel takes as the name of an interface. */
const INTERFACE_NAME = /^[^\s/:]{1,15}$/;
const FLAG_WORDS: ReadonlySet<unknown> = new Set([
  true,
  false,
  'true',
  'false',
  'yes',
  'no',
  'on',
  'off',
  0,
  1,
  '0',
  '1',
]);

export const isIpv4 = (text: string): boolean => IPV4.test(text);

export function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (!text.includes(':') || halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const dotted = last.includes('.');
  const count = groups.length + (dotted ? 1 : 0);
  const areHex = (dotted ? groups.slice(0, -1) : groups).every((group) => /^[0-9a-f]{1,4}$/i.test(group));
  return areHex && (!dotted || isIpv4(last)) && (halves.length === 2 ? count < 8 : count === 8);
}

/** Whether a value means true in a network document, which accepts texts such as "yes". */
export const isTrue = (value: unknown): boolean => [true, 'true', 'yes', 'on', 1, '1'].includes(value as never);

/** Text of a scalar value; empty for lists and mappings. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

export const anything: Shape = () => undefined;

const says =
  (isRight: (value: unknown) => boolean, wanted: string): Shape =>
  (value, path, report) => {
    if (!isRight(value)) report(path, `${show(value)} is not ${wanted}.`);
  };

export const text = says((value) => typeof value === 'string' || typeof value === 'number', 'a text');
export const flag = says((value) => FLAG_WORDS.has(value), 'true or false');
export const interfaceName = says(
  (value) => INTERFACE_NAME.test(wordOf(value)) && value !== '.' && value !== '..',
  'the name of an interface: 1 to 15 characters without blank, slash or colon',
);
export const macAddress = says(
  (value) => typeof value === 'string' && (MAC.test(value) || INFINIBAND_MAC.test(value)),
  'a MAC address such as 02:00:00:80:12:14',
);
export const ipAddress = says(
  (value) => typeof value === 'string' && (isIpv4(value) || isIpv6(value)),
  'an IP address',
);
export const ipv4Address = says((value) => typeof value === 'string' && isIpv4(value), 'an IPv4 address');
export const ipv6Address = says((value) => typeof value === 'string' && isIpv6(value), 'an IPv6 address');
export const network = says(
  (value) => typeof value === 'string' && isNetwork(value),
  'a network such as 192.168.0.0/24 or fd00::/64',
);

function isNetwork(value: string): boolean {
  const [address = '', prefix, ...more] = value.split('/');
  if (more.length > 0 || prefix === undefined || !/^\d{1,3}$/.test(prefix)) return false;
  return isIpv4(address) ? Number(prefix) <= 32 : isIpv6(address) && Number(prefix) <= 128;
}

/** Whole numbers, also as text and in hexadecimal, as `0x8001`. */
export const integer = (from: number, to: number): Shape =>
  says((value) => {
    const number = toInteger(value);
    return number !== undefined && number >= from && number <= to;
  }, `a whole number from ${from} to ${to}`);

export function toInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !/^(?:-?\d{1,15}|0x[0-9a-f]{1,12})$/i.test(value)) return undefined;
  return Number(value);
}

export const oneOf = (words: readonly (string | number)[]): Shape =>
  says((value) => words.some((word) => String(word) === wordOf(value)), `one of ${words.join(', ')}`);

export const listOf =
  (item: Shape): Shape =>
  (value, path, report) => {
    if (!Array.isArray(value)) return report(path, `${show(value)} is not a list.`);
    value.forEach((one, index) => item(one, [...path, index], report));
  };

/** A mapping with these keys and no others. `required` ones have to be there. */
export function mapping(known: { readonly [key: string]: Shape }, required: readonly string[] = []): Shape {
  const shapes = new Map(Object.entries(known));
  return (value, path, report) => {
    if (!isMapping(value)) return report(path, `${show(value)} is not a mapping.`);
    for (const key of required) if (!Object.hasOwn(value, key)) report(path, `${key} is missing.`);
    for (const [key, one] of Object.entries(value)) {
      const shape = shapes.get(key);
      if (!shape) report([...path, key], `${key} is not known here. Known: ${[...shapes.keys()].join(', ')}.`);
      else if (one !== null && one !== undefined) shape(one, [...path, key], report);
    }
  };
}

export function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_DISPLAYED_CHARACTERS = 60;

function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? 'nothing';
  return shown.length > MAX_DISPLAYED_CHARACTERS ? `${shown.slice(0, MAX_DISPLAYED_CHARACTERS)}…` : shown;
}
