import type { Refusal } from '@muster/problems';
import {
  formatPlace,
  formatViolation,
  isObject,
  jsonFault,
  listAt,
  memberAt,
  type Members,
  type Place,
  textAt,
} from '@muster/schema';
import type { IgnitionConfig } from '../config/ignition-config';
import {
  diskFaults,
  entriesAt,
  type Fault,
  faultIf,
  filesystemFaults,
  fromDataUrl,
  hasEmptyVersionId,
  isGiven,
  isRemoteUrl,
  pathFaults,
  unitFault,
} from '../config/ignition-file';
import { extentFault, jsonLineOf, lineAt } from '../documents/values';
import { DISTINCT_LISTS, LATER_MEMBERS, parseIgnitionConfig, RESOURCES, withSpecNames } from './ignition.schema';

/** Versions of the specification that an override may have. */
export const OVERRIDE_SPEC_VERSIONS: readonly string[] = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'];

/** No valid config is nested deeper. */
const NESTING_MAX = 16;
/** Maximum number of problems in one message. */
const PROBLEMS_REPORTED_MAX = 5;

export type ParsedOverride =
  | { readonly kind: 'parsed'; readonly config: IgnitionConfig }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

interface Problem {
  readonly place: Place;
  /** A sentence that begins with the path. */
  readonly sentence: string;
}

/**
 * Parses a user's override (JSON text) and checks it against the specification: types, names, paths, URLs, duplicate
 * entries, and sections that its version does not have. A refusal contains path and line.
 */
export function parseIgnitionOverride(text: string, subject: string): ParsedOverride {
  const refuse = (reason: string, allowed?: readonly string[]): ParsedOverride => ({
    kind: 'refused',
    refusal: { code: 'invalid-input', reason: `${subject} cannot be used: ${reason}`, subject, allowed },
  });
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return refuse(`it is not JSON (${describeSyntax(text, error)}).`);
  }
  const extent = extentFault(given);
  if (extent) return refuse(extent);
  const twice: Place[] = [];
  const config = withSpecNames(given, (place) => twice.push(place));
  if (!isObject(config)) return refuse('it is not a JSON object.');
  if (twice[0]) return refuse(`${formatPlace(twice[0])} occurs in another case too. Remove one of them.`);
  const ignition = config['ignition'];
  const version = isObject(ignition) ? ignition['version'] : undefined;
  if (typeof version !== 'string' || !OVERRIDE_SPEC_VERSIONS.includes(version)) {
    return refuse('ignition.version must name a supported version of the spec.', OVERRIDE_SPEC_VERSIONS);
  }
  if (isDeeperThan(config, NESTING_MAX)) return refuse(`it is nested deeper than ${NESTING_MAX} levels.`);
  const parsed = parseIgnitionConfig(config);
  const violations = parsed.kind === 'invalid' ? parsed.violations : [];
  const problems = [
    ...violations.map((violation) => ({ place: violation.place, sentence: `${formatViolation(violation)}.` })),
    ...problemsOf(config, Number(version.split('.')[1])),
  ];
  return parsed.kind === 'valid' && problems.length === 0
    ? { kind: 'parsed', config: parsed.value }
    : refuse(describe(text, problems));
}

/** Returns the certificate authorities that a config contains, as PEM. Empty when it contains none. */
export const authoritiesOf = (config: IgnitionConfig | undefined): string =>
  (config?.ignition.security?.tls?.certificateAuthorities ?? [])
    .map(({ source }) => fromDataUrl(source) ?? '')
    .filter(Boolean)
    .join('\n');

/** Problems that a schema cannot express: members of later versions, duplicate entries, and members that conflict. */
function problemsOf(config: Members, minor: number): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (place: Place, problem: string): void =>
    void problems.push({ place, sentence: `${formatPlace(place)}: ${problem}` });
  for (const { path, sinceMinor } of LATER_MEMBERS) {
    if (minor < sinceMinor && memberAt(config, ...path) !== undefined)
      report(path, `${path.join('.')} requires version 3.${sinceMinor}.0 or later of the spec.`);
  }
  for (const { within, lists, key } of DISTINCT_LISTS)
    for (const owner of entriesAt(config, within)) {
      const seen = new Map<unknown, Place>();
      for (const { place, entry } of lists.flatMap((list) => entriesAt(owner.entry, [list], owner.place))) {
        const name = entry[key];
        const other = seen.get(name);
        if (typeof name !== 'string' && (typeof name !== 'number' || name === 0)) continue;
        if (other)
          report(
            place,
            `${key} ${String(name).slice(0, 200)} occurs at ${formatPlace(other)} too. Remove one of them.`,
          );
        else seen.set(name, place);
      }
    }
  for (const { paths, faults } of ENTRY_RULES)
    for (const { place, entry } of paths.flatMap((path) => entriesAt(config, path)))
      for (const [member, problem] of faults(entry, minor)) report([...place, ...member], problem);
  return problems;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Rules for the members of one entry, by the paths of such entries. */
const ENTRY_RULES: readonly {
  readonly paths: readonly (readonly string[])[];
  readonly faults: (entry: Members, minor: number) => readonly Fault[];
}[] = [
  { paths: [[]], faults: pathFaults },
  {
    paths: ['files', 'directories', 'links'].map((list) => ['storage', list]),
    faults: (entry) =>
      ['user', 'group'].flatMap((member) =>
        faultIf(
          typeof memberAt(entry, member, 'id') === 'number' && isGiven(memberAt(entry, member, 'name')),
          [member],
          'id and name exclude each other. Remove one of them.',
        ),
      ),
  },
  {
    paths: [['storage', 'files']],
    faults: (entry) =>
      faultIf(
        entry['overwrite'] === true && textAt(entry, 'contents', 'source') === undefined,
        ['overwrite'],
        'overwrite requires contents.source.',
      ),
  },
  { paths: [['storage', 'disks']], faults: diskFaults },
  {
    paths: [['storage', 'disks', 'partitions']],
    faults: ({ number, label, typeGuid, guid, startMiB, sizeMiB, shouldExist }) => [
      ...faultIf(!number && !label, [], 'number or label is required.'),
      ...faultIf(
        shouldExist === false && (isGiven(typeGuid) || isGiven(guid) || [label, startMiB, sizeMiB].some(isPresent)),
        [],
        'shouldExist false excludes label, guid, typeGuid, startMiB and sizeMiB. Remove them.',
      ),
    ],
  },
  { paths: [['storage', 'filesystems']], faults: filesystemFaults },
  {
    paths: [['storage', 'raid']],
    faults: ({ level, spares, devices }) => [
      ...faultIf(
        isGiven(spares) && ['linear', 'raid0', '0', 'stripe'].includes(String(level)),
        ['spares'],
        `an array of the level ${String(level)} has no spares. Remove them.`,
      ),
      ...faultIf(
        Array.isArray(devices) && new Set(devices).size < devices.length,
        ['devices'],
        'a device occurs twice. Remove one of them.',
      ),
    ],
  },
  {
    paths: [['storage', 'luks', 'clevis']],
    faults: ({ custom, tang, tpm2, threshold }, minor) =>
      faultIf(
        (minor < 3 ? isObject(custom) : isGiven(memberAt(custom, 'pin'))) && [tang, tpm2, threshold].some(isGiven),
        ['custom'],
        'a custom pin excludes tang, tpm2 and threshold. Remove one of them.',
      ),
  },
  {
    paths: [['storage', 'luks', 'clevis', 'custom']],
    faults: ({ pin, config, needsNetwork }, minor) =>
      isGiven(pin) || isGiven(config) || (minor >= 3 && needsNetwork === true)
        ? [
            ...faultIf(!['tpm2', 'tang', 'sss'].includes(String(pin)), ['pin'], 'pin must be one of tpm2, tang, sss.'),
            ...faultIf(!isGiven(config), ['config'], 'config is required.'),
          ]
        : [],
  },
  {
    paths: RESOURCES,
    faults: ({ source, httpHeaders, verification }, minor) => {
      const [scheme = ''] = /^[a-z0-9]+(?=:)/.exec(String(source).toLowerCase()) ?? [];
      const since = LATER_SCHEMES.get(scheme) ?? 0;
      return [
        ...faultIf(minor < since, ['source'], `a URL of ${scheme} requires version 3.${since}.0 or later of the spec.`),
        ...faultIf(hasEmptyVersionId(String(source)), ['source'], 'the versionId of the URL must not be empty.'),
        ...faultIf(
          isPresent(memberAt(verification, 'hash')) && !isPresent(source),
          ['verification', 'hash'],
          'a hash requires a source.',
        ),
        ...faultIf(
          isGiven(httpHeaders) && !['http', 'https'].includes(scheme),
          ['httpHeaders'],
          'headers require a source of http or https.',
        ),
      ];
    },
  },
  {
    paths: [
      ['systemd', 'units'],
      ['systemd', 'units', 'dropins'],
    ],
    faults: ({ contents }) => {
      const fault = typeof contents === 'string' ? unitFault(contents) : undefined;
      return fault ? [[['contents'], fault]] : [];
    },
  },
  {
    paths: [['ignition', 'proxy']],
    // The URL may contain a password, so the message does not repeat it.
    faults: (proxy) =>
      ['httpProxy', 'httpsProxy'].flatMap((member) => {
        const url = proxy[member];
        return faultIf(
          typeof url === 'string' && !(/^https?:\/\//i.test(url) && isRemoteUrl(url) && URL.canParse(url)),
          [member],
          'the URL of a proxy must begin with http:// or https:// and have special characters in percent-encoding.',
        );
      }),
  },
  {
    paths: [['kernelArguments']],
    faults: (lists) => {
      const removed = new Set(listAt(lists, 'shouldNotExist'));
      return listAt(lists, 'shouldExist').flatMap((argument, index) =>
        faultIf(removed.has(argument), ['shouldExist', index], 'the argument occurs in shouldNotExist too.'),
      );
    },
  },
];

/** Schemes of URLs, and the minor versions of the specification that added them. */
const LATER_SCHEMES: ReadonlyMap<string, number> = new Map([
  ['gs', 2],
  ['arn', 4],
]);

function describe(text: string, problems: readonly Problem[]): string {
  const shown = problems.slice(0, PROBLEMS_REPORTED_MAX).map(({ place, sentence }) => {
    const line = jsonLineOf(text, place);
    return `${line === undefined ? '' : `line ${line}, `}${sentence}`;
  });
  const more = problems.length - shown.length;
  return `${shown.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`;
}

/** Returns the message of the JSON parser with line and column instead of an offset. */
function describeSyntax(text: string, error: unknown): string {
  const message = jsonFault(error);
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
  if (Number.isNaN(offset)) return message;
  const column = offset - text.lastIndexOf('\n', offset - 1);
  return `line ${lineAt(text, offset)}, column ${column}: ${message}`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
