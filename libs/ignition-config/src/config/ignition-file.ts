import { Buffer } from 'node:buffer';
import { formatPlace, isObject, memberAt, type Members, type Place, textAt } from '@muster/schema';
import type { IgnitionConfig, IgnitionFile } from './ignition-config';

/** Returns a data URL that contains the text in UTF-8. The files of a bootstrap host have hundreds of kilobytes. */
export const toDataUrl = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;

/** Returns the content of a data URL, read as UTF-8. Undefined for other URLs. */
export function fromDataUrl(url: string): string | undefined {
  const parts = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  if (!parts) return undefined;
  const [, isBase64, body = ''] = parts;
  try {
    const text = decodeURIComponent(body);
    if (!isBase64) return text;
    return new TextDecoder().decode(Buffer.from(atob(text), 'latin1'));
  } catch {
    return undefined;
  }
}

/** A character of the media type and of the names of its parameters. */
const TOKEN = "[!#-'*+.0-9A-Z^-~-]";
const MEDIA_TYPE = `(?:[xX]-|text|image|audio|video|application|message|multipart)${TOKEN}*/${TOKEN}*`;
const QUOTED = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';
const VALUE = `(?:%[0-9A-Fa-f]{2}|(?!%)${TOKEN})+`;
const HEADER = new RegExp(`^data:(?:${MEDIA_TYPE})?(?:;${TOKEN}+=(?:${QUOTED}|${VALUE}))*(;base64)?,`);
const NO_BASE64 = /[^A-Za-z0-9+/]/;
/** The last two characters of a text in base64. */
const PADDING = /^(?:[A-Za-z0-9+/][A-Za-z0-9+/=]|==)?$/;
const NO_URL_TEXT = /[^!$-;=?-Z_a-z~]|%(?![0-9A-Fa-f]{2})/;

/** Returns whether Ignition can read the data URL. It reads less than RFC 2397 permits. */
export function isReadableDataUrl(url: string): boolean {
  const [header, isBase64] = HEADER.exec(url) ?? [];
  if (header === undefined) return false;
  const content = url.slice(header.length);
  return isBase64
    ? content.length % 4 === 0 && !NO_BASE64.test(content.slice(0, -2)) && PADDING.test(content.slice(-2))
    : !NO_URL_TEXT.test(content);
}

const ESCAPED = '%[0-9A-Fa-f]{2}';
const HOST_CHARACTERS = '[-\\w.~!$&\'()*+,;=:<>"\\[\\]]|[^\\x00-\\x7F]|%[89A-Fa-f][0-9A-Fa-f]';
const AUTHORITY = new RegExp(
  `^(?:(?:[-\\w.~!$&'()*+,;=:@]|${ESCAPED})*@)?` +
    `(?:\\[(?:${HOST_CHARACTERS})*(?:%25(?:${HOST_CHARACTERS}|${ESCAPED})*)?\\](?::\\d*)?` +
    `|(?!\\[)(?:(?!:)(?:${HOST_CHARACTERS}))*(?::\\d*)?)$`,
);
const WRONG_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** The name of an object in a bucket, or behind an access point. */
const ARN = /^arn:[^:]*:s3:[^:]*:[^:]*:(?:accesspoint\/[^?#/]*\/|(?!accesspoint\/)[^?#/]*\/)/;

/** Returns whether Ignition can read a URL that is no data URL. */
export function isRemoteUrl(url: string): boolean {
  if (/\p{Cc}/u.test(url)) return false;
  if (/^arn:/i.test(url)) return ARN.test(`arn${url.slice(3)}`);
  const [, authority, path = '', fragment = ''] =
    /^(?:https?|tftp|s3|gs):\/\/(?=.)([^/?#]*)([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/i.exec(url) ?? [];
  return (
    authority !== undefined && AUTHORITY.test(authority) && ![path, fragment].some((one) => WRONG_ESCAPE.test(one))
  );
}

/** Returns whether a URL of S3 names a version without its id. */
export function hasEmptyVersionId(url: string): boolean {
  const [, query] = /^(?:s3|arn):[^?#]*\?([^#]*)/i.exec(url) ?? [];
  return query !== undefined && new URLSearchParams(query).get('versionId') === '';
}

const UNIT_LINE_BYTES_MAX = 2_048;

/** Returns the first line of a unit that Ignition cannot read. It reads less than systemd does. */
export function unitFault(contents: string): string | undefined {
  let [isContinued, isInSection] = [false, false];
  for (const [index, line] of contents.split('\n').entries()) {
    const refused = (reason: string): string => `line ${index + 1} of the unit ${reason}`;
    if (new TextEncoder().encode(line).length > UNIT_LINE_BYTES_MAX)
      return refused(`has more than ${UNIT_LINE_BYTES_MAX} bytes. Divide it with a backslash at the end of a line.`);
    const text = line.trim();
    const isSkipped = isContinued || text === '' || /^[#;]/.test(text);
    isContinued = text.endsWith('\\');
    if (isSkipped) continue;
    if (text.startsWith('[')) {
      if (!/^\[[^\]]*\]$/.test(text)) return refused('must be a section, such as [Service].');
      isInSection = true;
    } else if (isInSection && !text.includes('=')) return refused('has no "=".');
  }
  return undefined;
}

export const MODE_READABLE = 0o644;
export const MODE_PRIVATE = 0o600;
export const MODE_EXECUTABLE = 0o755;

/** Returns a file that replaces an existing file of the image. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Returns the text of a file in the config. Undefined when the config has no such file or only a remote one. */
export function readTextFile(config: IgnitionConfig, path: string): string | undefined {
  const source = config.storage?.files?.findLast((file) => file.path === path)?.contents?.source;
  return source === undefined ? undefined : fromDataUrl(source);
}

/** Returns the objects at a path with their places. A list on the path stands for each of its entries. */
export function entriesAt(
  value: unknown,
  path: readonly string[],
  place: Place = [],
): readonly { readonly place: Place; readonly entry: Members }[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => entriesAt(item, path, [...place, index]));
  if (!isObject(value)) return [];
  const [name, ...rest] = path;
  return name === undefined ? [{ place, entry: value }] : entriesAt(memberAt(value, name), rest, [...place, name]);
}

/** A problem with the member of an entry that has it. */
export type Fault = readonly [member: Place, problem: string];

export const faultIf = (isWrong: boolean, member: Place, problem: string): readonly Fault[] =>
  isWrong ? [[member, problem]] : [];
export const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const UNIT_FOLDER = '/etc/systemd/system';

/** Paths below links and files, hard links to directories, and files that `systemd.units` contains too. */
export function pathFaults(config: Members): readonly Fault[] {
  const nodesIn = (list: string) =>
    entriesAt(config, ['storage', list]).map(({ place, entry }) => ({
      list,
      place,
      entry,
      path: textAt(entry, 'path') ?? '',
    }));
  const [directories, links] = [nodesIn('directories'), nodesIn('links')];
  const nodes = [...nodesIn('files'), ...directories, ...links];
  const units = new Set(
    entriesAt(config, ['systemd', 'units']).flatMap(({ entry: unit }) => [
      ...(unit['contents'] ? [`${UNIT_FOLDER}/${textAt(unit, 'name')}`] : []),
      ...entriesAt(unit, ['dropins']).flatMap(({ entry: { name, contents } }) =>
        contents ? [`${UNIT_FOLDER}/${textAt(unit, 'name')}.d/${String(name)}`] : [],
      ),
    ]),
  );
  const targets = new Set(directories.map(({ path }) => path));
  const faults = nodes.flatMap(({ path, place }) =>
    faultIf(units.has(path), [...place, 'path'], 'systemd.units contains this file too. Remove one of them.'),
  );
  for (const { place, path, entry } of links) {
    const target = textAt(entry, 'target') ?? '';
    if (entry['hard'] === true && targets.has(simplified(target.startsWith('/') ? target : `${path}/${target}`)))
      faults.push([[...place, 'target'], 'a hard link cannot have a directory as its target.']);
  }
  // In this order, what is below a path follows it.
  const sorted = nodes.map((node) => ({ ...node, key: `${node.path}/`.split('/').join('\0') }));
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
  let above: (typeof sorted)[number] | undefined;
  for (const node of sorted) {
    if (above && node.key !== above.key && node.key.startsWith(above.key)) {
      const kind = above.list === 'links' ? 'link' : 'file';
      const remedy = kind === 'link' ? 'Use the target of the link.' : 'Remove one of them.';
      faults.push([[...node.place, 'path'], `the path is below the ${kind} ${above.path}. ${remedy}`]);
    } else if (node.list !== 'directories') above = node;
  }
  return faults;
}

/** Returns an absolute path without "..", "." and empty parts. */
function simplified(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Partitions of one disk that overlap, and partitions without a number beside those that must not exist. */
export function diskFaults(disk: Members): readonly Fault[] {
  const partitions = entriesAt(disk, ['partitions']);
  const sized = partitions.flatMap(({ place, entry: { startMiB, sizeMiB } }) =>
    typeof startMiB === 'number' && startMiB !== 0 && typeof sizeMiB === 'number'
      ? [{ place, start: startMiB, end: startMiB + Math.max(sizeMiB, 1) }]
      : [],
  );
  sized.sort((a, b) => a.start - b.start);
  const faults: Fault[] = [];
  let last = sized[0];
  for (const next of sized.slice(1)) {
    if (last && next.start < last.end) faults.push([next.place, `the partition overlaps ${formatPlace(last.place)}.`]);
    if (!last || next.end > last.end) last = next;
  }
  const removes = partitions.some(({ entry }) => entry['shouldExist'] === false);
  return [
    ...faults,
    ...faultIf(
      removes && partitions.some(({ entry }) => !entry['number']),
      ['partitions'],
      'when a partition has shouldExist false, all partitions of the disk require a number.',
    ),
  ];
}

const LABEL_BYTES_MAX: ReadonlyMap<unknown, number> = new Map([
  ['ext4', 16],
  ['btrfs', 256],
  ['xfs', 12],
  ['swap', 15],
  ['vfat', 11],
]);
/** Members that require a format. Members without a value do not. */
const MEMBERS_OF_A_FORMAT: readonly string[] = ['path', 'label', 'uuid', 'wipeFilesystem', 'options', 'mountOptions'];

/** Members of a filesystem without a format, and labels that are too long for it. */
export function filesystemFaults(entry: Members, minor: number): readonly Fault[] {
  const { format, label } = entry;
  const named = format ? undefined : MEMBERS_OF_A_FORMAT.find((name) => isGiven(entry[name]));
  const bytesMax = LABEL_BYTES_MAX.get(format) ?? Infinity;
  return [
    ...faultIf(named !== undefined, [], `format is required together with ${named}.`),
    ...faultIf(format === 'none' && minor < 3, ['format'], 'none requires version 3.3.0 or later of the spec.'),
    ...faultIf(
      typeof label === 'string' && Buffer.byteLength(label) > bytesMax,
      ['label'],
      `the label has more than ${bytesMax} bytes, the limit of ${String(format)}.`,
    ),
  ];
}
