import { createParser, holds } from '@muster/schema';
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

/** Without `..`, which would change the place of the file. */
const isAbsolutePath = (value: string): boolean => /^\/(?!.*\0)/.test(value) && !value.split('/').includes('..');
const absolutePath = string(isAbsolutePath, 'an absolute path without ".."');
const absolutePathOrEmpty = string((value) => value === '' || isAbsolutePath(value), 'an absolute path without ".."');
const mode = holds(
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0o7777,
  'a file mode as a decimal number from 0 to 4095 (420 is 0644)',
);

const header = members({ name: text, value: text }, ['name']);
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
  tang: listOf(members({ url: matching(/^https?:\/\/\S+$/, 'an http or https URL'), thumbprint: text }, ['url'])),
  custom: members({ pin: text, config: text, needsNetwork: boolean }),
});

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
                typeGuid: text,
                guid: text,
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
        members({ name: text, level: text, devices: listOf(absolutePath), spares: number, options: texts }, ['name']),
      ),
      luks: listOf(
        members(
          {
            name: text,
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
          ['name'],
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
