import { createParser, holds, isObject, memberAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import type { IgnitionConfig } from '../config/ignition-config';
import { isReadableDataUrl } from '../config/ignition-file';
import { listOf, openMapping as members, string } from '../documents/values';

// JSON types are strict: `"true"` is not a flag and `"420"` is not a number. Unknown members are ignored, as in
// Ignition.
const text = Type.String();
const boolean = Type.Boolean();
const number = Type.Integer();
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
const REMOTE_URL = /^(?:https?|tftp|s3|gs):\/\/\S+$|^arn:/i;
/** A source that is not required may be empty: the file is empty. */
const resource = (required: readonly string[]) =>
  members(
    {
      source: string(
        (value) => (value === '' ? !required.includes('source') : REMOTE_URL.test(value) || isReadableDataUrl(value)),
        'a URL of http, https, tftp, s3, arn, gs or data (text with %-escapes, or base64 with its padding)',
      ),
      compression: word('', 'gzip'),
      httpHeaders: listOf(header),
      verification: members({
        hash: matching(/^sha(?:512-[0-9a-f]{128}|256-[0-9a-f]{64})$/i, 'sha256- or sha512- and a digest'),
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
    members({ url: matching(/^https?:\/\/\S+$/, 'an http or https URL'), thumbprint: notEmpty }, ['url', 'thumbprint']),
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
      links: listOf(members({ ...node, target: text, hard: boolean }, ['path', 'target'])),
      disks: listOf(
        members(
          {
            device: absolutePath,
            wipeTable: boolean,
            partitions: listOf(
              members({
                label: matching(/^[^:]{0,36}$/, 'a label of at most 36 characters without a colon'),
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
            label: text,
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

/** Members of a filesystem that require its format. Members without a value do not. */
export const MEMBERS_OF_A_FORMAT: readonly string[] = ['path', 'label', 'uuid', 'wipeFilesystem', 'options'];

/** Lists without duplicate entries, and the member that identifies an entry. Paths in one group share their names. */
export const DISTINCT_LISTS: readonly {
  readonly lists: readonly (readonly [section: string, list: string])[];
  readonly key: string;
}[] = [
  {
    lists: [
      ['storage', 'files'],
      ['storage', 'directories'],
      ['storage', 'links'],
    ],
    key: 'path',
  },
  { lists: [['storage', 'disks']], key: 'device' },
  { lists: [['storage', 'filesystems']], key: 'device' },
  { lists: [['storage', 'raid']], key: 'name' },
  { lists: [['storage', 'luks']], key: 'name' },
  { lists: [['systemd', 'units']], key: 'name' },
  { lists: [['passwd', 'users']], key: 'name' },
  { lists: [['passwd', 'groups']], key: 'name' },
];

type Members = { readonly [name: string]: unknown };

const isOwnedTwice = (owner: unknown): boolean =>
  isObject(owner) && typeof owner['id'] === 'number' && Boolean(owner['name']);

/** Rules for the members of one entry. Each returns the member and its fault, or undefined. */
export const ENTRY_RULES: readonly {
  readonly list: readonly [section: string, list: string, inner?: string];
  readonly fault: (entry: Members) => readonly [member: string, fault: string] | undefined;
}[] = [
  ...(['files', 'directories', 'links'] as const).map((list) => ({
    list: ['storage', list] as const,
    fault: (entry: Members): readonly [string, string] | undefined => {
      const owner = ['user', 'group'].find((member) => isOwnedTwice(entry[member]));
      return owner === undefined ? undefined : [owner, 'id and name exclude each other. Remove one of them.'];
    },
  })),
  {
    list: ['storage', 'files'],
    fault: (entry) =>
      entry['overwrite'] === true && typeof memberAt(entry, 'contents', 'source') !== 'string'
        ? ['overwrite', 'overwrite requires contents.source.']
        : undefined,
  },
  {
    list: ['storage', 'disks', 'partitions'],
    fault: (entry) => (entry['number'] || entry['label'] ? undefined : ['', 'number or label is required.']),
  },
];
