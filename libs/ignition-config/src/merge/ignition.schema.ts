import { Buffer } from 'node:buffer';
import { createParser, holds, isObject, memberAt, parseJson, type Place } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import type { IgnitionConfig } from '../config/ignition-config';
import { isReadableDataUrl, isRemoteUrl } from '../config/ignition-file';
import { listOf, openMapping as members, string } from '../documents/values';

// JSON types are strict: `"true"` is not a flag and `"420"` is not a number. Unknown members are ignored, as in
// Ignition.
const text = Type.String();
const boolean = Type.Boolean();
const number = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const texts = listOf(text);
const word = (...words: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...words] });
const matching = (pattern: RegExp, expected: string) => string((value) => pattern.test(value), expected);

/** In its simplest form: `..` would change the place of the file, and Ignition refuses the others. */
const isAbsolutePath = (value: string): boolean =>
  /^\/(?!.*\0)/.test(value) &&
  (value === '/' ||
    !value
      .slice(1)
      .split('/')
      .some((part) => ['', '.', '..'].includes(part)));
const ABSOLUTE_PATH = 'an absolute path without "..", "." and empty parts';
const absolutePath = string(isAbsolutePath, ABSOLUTE_PATH);
const absolutePathOrEmpty = string((value) => value === '' || isAbsolutePath(value), ABSOLUTE_PATH);
const notEmpty = matching(/^[^]/, 'a text that is not empty');
const guid = matching(/^(?:|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i, 'a GUID');
const mode = holds(
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0o7777,
  'a file mode as a decimal number from 0 to 4095 (420 is 0644)',
);

const header = members({ name: notEmpty, value: notEmpty }, ['name']);
/** A source that is not required may be empty: the file is empty. */
const resource = (required: readonly string[]) =>
  members(
    {
      source: string(
        (value) => (value === '' ? !required.includes('source') : isRemoteUrl(value) || isReadableDataUrl(value)),
        'a URL of http, https, tftp, s3, arn, gs or data (text with %-escapes, or base64 with its padding)',
      ),
      compression: word('', 'gzip'),
      httpHeaders: listOf(header),
      verification: members({
        hash: matching(/^sha(?:512-[0-9a-fA-F]{128}|256-[0-9a-fA-F]{64})$/, 'sha256- or sha512- and a digest'),
      }),
    },
    required,
  );
const owner = members({ id: number, name: text });
const node = { path: absolutePath, overwrite: boolean, user: owner, group: owner };
const unitName = matching(
  /^[\w:.@\\-]+\.(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/,
  'the name of a unit with its kind, such as x.service',
);
const clevis = members({
  tpm2: boolean,
  threshold: number,
  tang: listOf(
    members(
      {
        url: string((value) => /^http/i.test(value) && isRemoteUrl(value), 'an http or https URL'),
        thumbprint: notEmpty,
        advertisement: string((value) => value === '' || parseJson(value) !== undefined, 'a JSON text'),
      },
      ['url', 'thumbprint'],
    ),
  ),
  custom: members({ pin: text, config: text, needsNetwork: boolean }),
});

const RAID_LEVELS = [
  'linear',
  'raid0',
  '0',
  'stripe',
  'raid1',
  '1',
  'mirror',
  'raid4',
  '4',
  'raid5',
  '5',
  'raid6',
  '6',
  'raid10',
  '10',
];

/** Members of a config in any supported version. `LATER_MEMBERS` lists those of later versions. */
const IGNITION = members(
  {
    ignition: members(
      {
        version: text,
        config: members({ merge: listOf(resource(['source'])), replace: resource([]) }),
        timeouts: members({ httpResponseHeaders: number, httpTotal: number }),
        security: members({ tls: members({ certificateAuthorities: listOf(resource(['source'])) }) }),
        proxy: members({ httpProxy: text, httpsProxy: text, noProxy: texts }),
      },
      ['version'],
    ),
    storage: members({
      files: listOf(members({ ...node, mode, contents: resource([]), append: listOf(resource([])) }, ['path'])),
      directories: listOf(members({ ...node, mode }, ['path'])),
      links: listOf(members({ ...node, target: notEmpty, hard: boolean }, ['path', 'target'])),
      disks: listOf(
        members(
          {
            device: absolutePath,
            wipeTable: boolean,
            partitions: listOf(
              members({
                label: string(
                  (value) => Buffer.byteLength(value) <= 36 && !value.includes(':'),
                  'a label of at most 36 bytes without a colon',
                ),
                number: holds((value) => Number.isInteger(value) && Number(value) >= 0, 'the number of a partition'),
                sizeMiB: number,
                startMiB: number,
                typeGuid: guid,
                guid,
                wipePartitionEntry: boolean,
                shouldExist: boolean,
                resize: boolean,
              }),
            ),
          },
          ['device'],
        ),
      ),
      filesystems: listOf(
        members(
          {
            device: absolutePath,
            path: absolutePathOrEmpty,
            format: word('', 'ext4', 'btrfs', 'xfs', 'vfat', 'swap', 'none'),
            label: text,
            uuid: text,
            wipeFilesystem: boolean,
            options: texts,
            mountOptions: texts,
          },
          ['device'],
        ),
      ),
      raid: listOf(
        members(
          {
            name: text,
            level: word(...RAID_LEVELS),
            devices: Type.Array(absolutePath, { minItems: 1 }),
            spares: number,
            options: texts,
          },
          ['name', 'level', 'devices'],
        ),
      ),
      luks: listOf(
        members(
          {
            name: matching(/^[^/]*$/, 'a name without slashes'),
            device: absolutePath,
            keyFile: resource([]),
            label: string((value) => Buffer.byteLength(value) <= 47, 'a label of at most 47 bytes'),
            uuid: text,
            options: texts,
            openOptions: texts,
            discard: boolean,
            wipeVolume: boolean,
            clevis,
          },
          ['name', 'device'],
        ),
      ),
    }),
    systemd: members({
      units: listOf(
        members(
          {
            name: unitName,
            enabled: boolean,
            mask: boolean,
            contents: text,
            dropins: listOf(
              members({ name: matching(/^[^/]+\.conf$/, 'a name that ends in .conf'), contents: text }, ['name']),
            ),
          },
          ['name'],
        ),
      ),
    }),
    passwd: members({
      users: listOf(
        members(
          {
            name: text,
            passwordHash: text,
            sshAuthorizedKeys: texts,
            uid: number,
            gecos: text,
            homeDir: text,
            noCreateHome: boolean,
            primaryGroup: text,
            groups: texts,
            noUserGroup: boolean,
            noLogInit: boolean,
            shell: text,
            shouldExist: boolean,
            system: boolean,
          },
          ['name'],
        ),
      ),
      groups: listOf(
        members({ name: text, gid: number, passwordHash: text, shouldExist: boolean, system: boolean }, ['name']),
      ),
    }),
    kernelArguments: members({ shouldExist: texts, shouldNotExist: texts }),
  },
  ['ignition'],
);

/**
 * Returns the config with the names of members as the specification writes them, because Ignition reads them in any
 * case. `onTwice` receives the places of members that occur in two cases.
 */
export function withSpecNames(config: unknown, onTwice: (place: Place) => void): unknown {
  const renamed = (value: unknown, schema: unknown, place: Place): unknown => {
    const items = memberAt(schema, 'items');
    if (Array.isArray(value) && items) return value.map((item, index) => renamed(item, items, [...place, index]));
    const known = memberAt(schema, 'properties');
    if (!isObject(value) || !isObject(known)) return value;
    const names = new Map(Object.keys(known).map((name) => [folded(name), name]));
    const members = new Map<string, unknown>();
    for (const [given, member] of Object.entries(value)) {
      const name = names.get(folded(given)) ?? given;
      if (members.has(name)) onTwice([...place, given]);
      members.set(name, renamed(member, memberAt(known, name), [...place, name]));
    }
    return Object.fromEntries(members);
  };
  return renamed(config, IGNITION, []);
}

/** The JSON decoder of Go reads the long s as an s. */
const folded = (name: string): string => name.toLowerCase().replaceAll('\u017f', 's');

/** Checks the whole config and reports every violation. */
export const parseIgnitionConfig = createParser(Type.Unsafe<IgnitionConfig>(IGNITION), {
  name: '',
  reportsAll: true,
  nullIsAbsent: true,
});

/** Sections that older versions of the specification silently ignore. */
export const LATER_MEMBERS: readonly { readonly path: readonly string[]; readonly sinceMinor: number }[] = [
  { path: ['storage', 'luks'], sinceMinor: 2 },
  { path: ['kernelArguments'], sinceMinor: 3 },
  { path: ['ignition', 'proxy'], sinceMinor: 1 },
];

/** Places of all sources of bytes. */
export const RESOURCES: readonly (readonly string[])[] = [
  ['storage', 'files', 'contents'],
  ['storage', 'files', 'append'],
  ['storage', 'luks', 'keyFile'],
  ['ignition', 'config', 'merge'],
  ['ignition', 'config', 'replace'],
  ['ignition', 'security', 'tls', 'certificateAuthorities'],
];

/** Lists without duplicate entries, and the member that identifies an entry. The lists of one row share their names. */
export const DISTINCT_LISTS: readonly {
  /** The object that has the lists. */
  readonly within: readonly string[];
  readonly lists: readonly string[];
  readonly key: string;
}[] = [
  { within: ['storage'], lists: ['files', 'directories', 'links'], key: 'path' },
  { within: ['storage'], lists: ['disks'], key: 'device' },
  { within: ['storage', 'disks'], lists: ['partitions'], key: 'number' },
  { within: ['storage', 'disks'], lists: ['partitions'], key: 'label' },
  { within: ['storage'], lists: ['filesystems'], key: 'device' },
  { within: ['storage'], lists: ['raid'], key: 'name' },
  { within: ['storage'], lists: ['luks'], key: 'name' },
  { within: ['storage', 'luks', 'clevis'], lists: ['tang'], key: 'url' },
  { within: ['systemd'], lists: ['units'], key: 'name' },
  { within: ['systemd', 'units'], lists: ['dropins'], key: 'name' },
  { within: ['passwd'], lists: ['users'], key: 'name' },
  { within: ['passwd'], lists: ['groups'], key: 'name' },
  ...RESOURCES.map((within) => ({ within, lists: ['httpHeaders'], key: 'name' })),
];
