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

const header = members({ name: string, value: string }, ['name']);
const resource = (required: readonly string[]): Shape =>
  members(
    {
      source: matching(
        /^(?:https?|tftp|s3|gs):\/\/\S+$|^(?:arn|data):/i,
        'a URL of http, https, tftp, s3, arn, gs or data',
      ),
      compression: word('', 'gzip'),
      httpHeaders: listOf(header),
      verification: members({
        hash: matching(/^sha(?:512-[0-9a-f]{128}|256-[0-9a-f]{64})$/i, 'sha256- or sha512- and a digest'),
      }),
    },
    required,
  );
const owner = members({ id: number, name: string });
const node = { path: absolutePath, overwrite: boolean, user: owner, group: owner };
const unitName = matching(
  /^[\w:.@\\-]+\.(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/,
  'the name of a unit with its kind, such as x.service',
);
const clevis = members({
  tpm2: boolean,
  threshold: number,
  tang: listOf(members({ url: matching(/^https?:\/\/\S+$/, 'an http or https URL'), thumbprint: string }, ['url'])),
  custom: members({ pin: string, config: string, needsNetwork: boolean }),
});

/** What a config may hold, of all versions; see `LATER_MEMBERS` for what came when. */
export const IGNITION_SHAPE: Shape = members(
  {
    ignition: members(
      {
        version: string,
        config: members({ merge: listOf(resource(['source'])), replace: resource([]) }),
        timeouts: members({ httpResponseHeaders: number, httpTotal: number }),
        security: members({ tls: members({ certificateAuthorities: listOf(resource(['source'])) }) }),
        proxy: members({ httpProxy: string, httpsProxy: string, noProxy: strings }),
      },
      ['version'],
    ),
    storage: members({
      files: listOf(members({ ...node, mode, contents: resource([]), append: listOf(resource(['source'])) }, ['path'])),
      directories: listOf(members({ ...node, mode }, ['path'])),
      links: listOf(members({ ...node, target: string, hard: boolean }, ['path', 'target'])),
      disks: listOf(
        members(
          {
            device: absolutePath,
            wipeTable: boolean,
            partitions: listOf(
              members({
                label: matching(/^[^:]{0,36}$/, 'a label of at most 36 characters without colon'),
                number: is((value) => Number.isInteger(value) && Number(value) >= 0, 'the number of a partition'),
                sizeMiB: number,
                startMiB: number,
                typeGuid: string,
                guid: string,
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
            path: absolutePath,
            format: word('', 'ext4', 'btrfs', 'xfs', 'vfat', 'swap', 'none'),
            label: string,
            uuid: string,
            wipeFilesystem: boolean,
            options: strings,
            mountOptions: strings,
          },
          ['device'],
        ),
      ),
      raid: listOf(
        members({ name: string, level: string, devices: listOf(absolutePath), spares: number, options: strings }, [
          'name',
        ]),
      ),
      luks: listOf(
        members(
          {
            name: string,
            device: absolutePath,
            keyFile: resource([]),
            label: string,
            uuid: string,
            options: strings,
            openOptions: strings,
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
            contents: string,
            dropins: listOf(
              members({ name: matching(/^[^/]+\.conf$/, 'a name that ends in .conf'), contents: string }, ['name']),
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
            name: string,
            passwordHash: string,
            sshAuthorizedKeys: strings,
            uid: number,
            gecos: string,
            homeDir: string,
            noCreateHome: boolean,
            primaryGroup: string,
            groups: strings,
            noUserGroup: boolean,
            noLogInit: boolean,
            shell: string,
            shouldExist: boolean,
            system: boolean,
          },
          ['name'],
        ),
      ),
      groups: listOf(
        members({ name: string, gid: number, passwordHash: string, shouldExist: boolean, system: boolean }, ['name']),
      ),
    }),
    kernelArguments: members({ shouldExist: strings, shouldNotExist: strings }),
  },
  ['ignition'],
);

/** Sections that older versions of the specification silently ignore. */
export const LATER_MEMBERS: readonly { readonly path: readonly string[]; readonly sinceMinor: number }[] = [
  { path: ['storage', 'luks'], sinceMinor: 2 },
  { path: ['kernelArguments'], sinceMinor: 3 },
  { path: ['ignition', 'proxy'], sinceMinor: 1 },
];

/** Lists in which nothing may stand twice, and the member that tells entries apart. Paths of one group are of one kind. */
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
