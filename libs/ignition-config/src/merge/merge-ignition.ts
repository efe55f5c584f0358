import { isAtLeast } from '@muster/feature-support';
import type { Refusal } from '@muster/problems';
import { isObject, listAt, type Members, objectAt, textAt } from '@muster/schema';
import { type IgnitionConfig, toIgnitionConfig } from '../config/ignition-config';
import { pathFaults } from '../config/ignition-file';
import { type ParsedOverride, parseIgnitionOverride } from './ignition-override';

/** Partitions are identified by their number, or by their label without a number. */
const PARTITION = 'number or label';

/**
 * Lists whose entries are merged, by path in the config without list indices → member that identifies an entry. '': the
 * entry identifies itself. All other lists are concatenated.
 */
const KEYED_LISTS: { readonly [place: string]: string | undefined } = {
  'ignition.config.merge': 'source',
  'ignition.config.merge.httpHeaders': 'name',
  'ignition.config.replace.httpHeaders': 'name',
  'ignition.security.tls.certificateAuthorities': 'source',
  'ignition.security.tls.certificateAuthorities.httpHeaders': 'name',
  'ignition.proxy.noProxy': '',
  'passwd.users': 'name',
  'passwd.users.groups': '',
  'passwd.users.sshAuthorizedKeys': '',
  'passwd.groups': 'name',
  'storage.disks': 'device',
  'storage.disks.partitions': PARTITION,
  'storage.filesystems': 'device',
  'storage.raid': 'name',
  'storage.raid.devices': '',
  'storage.luks': 'name',
  'storage.luks.openOptions': '',
  'storage.luks.clevis.tang': 'url',
  'storage.luks.keyFile.httpHeaders': 'name',
  'kernelArguments.shouldExist': '',
  'kernelArguments.shouldNotExist': '',
  'storage.files': 'path',
  'storage.files.contents.httpHeaders': 'name',
  'storage.directories': 'path',
  'storage.links': 'path',
  'systemd.units': 'name',
  'systemd.units.dropins': 'name',
};

const PATH_LISTS = ['files', 'directories', 'links'] as const;

/**
 * Returns the config merged with a child config by the rules of the Ignition specification: values of the child take
 * precedence, entries with the same name are merged, other lists are concatenated. A kernel argument that the child
 * adds is removed from the list of arguments to delete, and the reverse. The result has the newer version of the two.
 * An entry that the child repeats, such as a key, occurs once, because Ignition refuses repeated entries.
 */
export function mergeIgnition(parent: IgnitionConfig, child: IgnitionConfig): IgnitionConfig {
  const base = withoutTakenBack(withoutReplacedPaths({ ...parent }, pathsByList(child)), { ...child });
  const merged = mergeObjects(base, { ...child }, '');
  const version = newerOf(parent.ignition.version, child.ignition.version);
  return toIgnitionConfig({ ...merged, ignition: { ...objectAt(merged, 'ignition'), version } });
}

/**
 * Returns the config merged with a user's override. Refused when paths of the override exclude those of the config, or when the
 * system of that OpenShift version cannot read it, because then the host would not boot. The version is empty when it is not known.
 */
export function mergeOverride(
  config: IgnitionConfig,
  override: IgnitionConfig,
  subject: string,
  openshiftVersion = '',
): ParsedOverride {
  const merged = mergeIgnition(config, override);
  const known = new Set(conflictsIn(config));
  const conflict = conflictsIn(merged).find((one) => !known.has(one));
  const fault =
    conflict === undefined
      ? unreadFault(override.ignition.version, openshiftVersion)
      : `together with the files of the service, ${conflict}`;
  return fault === undefined
    ? { kind: 'parsed', config: merged }
    : { kind: 'refused', refusal: unusable(subject, fault) };
}

const unusable = (subject: string, fault: string): Refusal => ({
  code: 'invalid-input',
  reason: `${subject} cannot be used: ${fault}`,
  subject,
});

/**
 * Returns the problem of a user's override, or undefined when it can be used with images of that OpenShift version. The version is empty
 * when it is not known.
 */
export function ignitionOverrideProblem(
  text: string,
  subject = 'ignition_config_override',
  openshiftVersion = '',
): Refusal | undefined {
  const parsed = parseIgnitionOverride(text, subject);
  if (parsed.kind === 'refused') return parsed.refusal;
  const fault = unreadFault(parsed.config.ignition.version, openshiftVersion);
  return fault === undefined ? undefined : unusable(subject, fault);
}

/** Versions of the specification, the latest first, with the first version of OpenShift whose system reads them. */
const READ_SINCE = [
  { spec: '3.4.0', since: '4.13' },
  { spec: '3.3.0', since: '4.9' },
  { spec: '3.2.0', since: '' },
] as const;

/** The systems of OKD have another Ignition than those of OpenShift. */
const OKD = /okd|scos/;

function unreadFault(version: string, openshiftVersion: string): string | undefined {
  if (openshiftVersion === '' || OKD.test(openshiftVersion)) return undefined;
  const read = READ_SINCE.find(({ since }) => since === '' || isAtLeast(openshiftVersion, since));
  if (!read || newerOf(read.spec, version) === read.spec) return undefined;
  return `OpenShift ${openshiftVersion} reads version ${read.spec} and earlier ones of the specification, not ${version}.`;
}

/** The places of a merged config are unknown to users, so the sentences begin with paths. */
const conflictsIn = (config: IgnitionConfig): readonly string[] =>
  pathFaults({ ...config }).map(([[, list, index], problem]) => {
    const entry: unknown = listAt(config, 'storage', String(list))[Number(index)];
    return `${String(textAt(entry, 'path'))}: ${problem}`;
  });

function mergeObjects(parent: Members, child: Members, place: string): Members {
  const merged: { [name: string]: unknown } = { ...parent };
  for (const [name, value] of Object.entries(child)) {
    if (value === null || value === undefined) continue;
    const inner = place === '' ? name : `${place}.${name}`;
    merged[name] = mergeValues(parent[name], value, inner);
  }
  return merged;
}

/** Values that only the child has are merged with nothing, because their lists may repeat an entry too. */
function mergeValues(parent: unknown, child: unknown, place: string): unknown {
  if (isObject(child)) return mergeObjects(isObject(parent) ? parent : {}, child, place);
  if (Array.isArray(child)) return mergeLists(Array.isArray(parent) ? parent : [], child, place);
  return child;
}

function mergeLists(parent: readonly unknown[], child: readonly unknown[], place: string): readonly unknown[] {
  const key = KEYED_LISTS[place];
  if (key === undefined) return [...parent, ...child];
  const nameOf = (entry: unknown): unknown => {
    if (key === '' || !isObject(entry)) return entry;
    return key === PARTITION ? partitionName(entry) : entry[key];
  };
  const unused = new Map(child.map((entry) => [nameOf(entry), entry]));
  const merged = parent.flatMap((entry) => {
    const name = nameOf(entry);
    if (!unused.has(name)) return [entry];
    const own = unused.get(name);
    unused.delete(name);
    return removesHeader(own, place) ? [] : [mergeValues(entry, own, place)];
  });
  return [...merged, ...[...unused.values()].map((own) => mergeValues(undefined, own, place))];
}

/** A header without a value removes the header of the parent. */
const removesHeader = (entry: unknown, place: string): boolean =>
  place.endsWith('.httpHeaders') && textAt(entry, 'value') === undefined;

/** A partition without number and label is always a new one. */
function partitionName({ number, label }: Members): unknown {
  if (typeof number === 'number' && number !== 0) return `number ${number}`;
  return typeof label === 'string' ? `label ${label}` : Symbol('partition');
}

/** Returns the kernel arguments of the parent without those in the other list of the child. */
function withoutTakenBack(parent: Members, child: Members): Members {
  const [own, other] = [parent['kernelArguments'], child['kernelArguments']];
  if (!isObject(own) || !isObject(other)) return parent;
  const without = (list: string, opposite: string): object => {
    const [mine, theirs] = [own[list], other[opposite]];
    return Array.isArray(mine) && Array.isArray(theirs)
      ? { [list]: mine.filter((argument) => !theirs.includes(argument)) }
      : {};
  };
  const kernelArguments = {
    ...own,
    ...without('shouldExist', 'shouldNotExist'),
    ...without('shouldNotExist', 'shouldExist'),
  };
  return { ...parent, kernelArguments };
}

/** A path is a file, a directory or a link: the child's entry replaces the parent's. */
function withoutReplacedPaths(parent: Members, childPaths: ReadonlyMap<string, string>): Members {
  const { storage } = parent;
  if (!isObject(storage)) return parent;
  const kept = PATH_LISTS.flatMap((list) => {
    const entries = storage[list];
    if (!Array.isArray(entries)) return [];
    const isKept = (entry: unknown): boolean => (childPaths.get(pathOf(entry)) ?? list) === list;
    return [[list, entries.filter(isKept)] as const];
  });
  return { ...parent, storage: { ...storage, ...Object.fromEntries(kept) } };
}

function pathsByList(config: IgnitionConfig): ReadonlyMap<string, string> {
  const storage: Members = { ...config.storage };
  return new Map(
    PATH_LISTS.flatMap((list) => {
      const entries = storage[list];
      return Array.isArray(entries) ? entries.map((entry) => [pathOf(entry), list] as const) : [];
    }),
  );
}

const pathOf = (entry: unknown): string => (isObject(entry) ? String(entry['path']) : '');

function newerOf(a: string, b: string): string {
  const minor = (version: string): number => Number(version.split('.')[1]);
  return minor(b) > minor(a) ? b : a;
}
