import type {
  ClusterNetwork,
  ClusterSettings,
  FirstNetworks,
  MonitoredOperator,
  OperatorBundleList,
  Plain,
} from '@muster/contracts';
import {
  CLUSTER_KINDS,
  type ClusterKind,
  decideOperators,
  DEFAULT_CLUSTER_NETWORKS,
  isSingleNodeRequested,
} from '@muster/domain';
import { type OperatorCluster, operatorNamed, type OperatorSettings, withDependencies } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { isObject } from '@muster/schema';
import {
  ALL_RULES,
  checkOverrides,
  ignorableRules,
  type OverrideSubject,
  parseVersion,
} from '@muster/validation-rules';

/** @throws RefusalError `invalid-input` for an unknown kind. */
export function clusterKindOf(kind: string): ClusterKind {
  const found = CLUSTER_KINDS.find((known) => known === (kind || 'Cluster'));
  if (!found)
    throw new RefusalError({
      code: 'invalid-input',
      reason: `kind "${kind}" is not supported. Allowed: ${CLUSTER_KINDS.join(', ')}.`,
      subject: 'kind',
      allowed: CLUSTER_KINDS,
    });
  return found;
}

type Settings = Plain<ClusterSettings>;
type Cluster = Pick<OperatorCluster, 'isSingleNode' | 'release' | 'settings'>;

interface GivenChanges {
  readonly changes?: Settings;
  readonly firstNetworks?: Plain<FirstNetworks>;
}

/**
 * Returns the changes of a revision with the present fields of the platform, the disk encryption and the ignition
 * endpoint, and with the present networks. In the v2 API a request changes only the fields that it contains, and events contain these
 * settings as a whole.
 */
export function completedChanges(
  { changes: given = {}, firstNetworks: first = {} }: GivenChanges,
  present: Settings,
): Settings {
  const { clusterNetworks, serviceNetworks, machineNetworks } = present;
  return {
    ...given,
    clusterNetworks: given.clusterNetworks ?? withFirst(clusterNetworks, firstClusterNetwork(first, clusterNetworks)),
    serviceNetworks: given.serviceNetworks ?? withFirst(serviceNetworks, first.serviceNetworkCidr),
    machineNetworks: given.machineNetworks ?? withFirst(machineNetworks, first.machineNetworkCidr),
    platformDetails: platformDetailsOf(given, present),
    diskEncryption: given.diskEncryption && { ...present.diskEncryption, ...given.diskEncryption },
    ignitionEndpoint: given.ignitionEndpoint && { ...present.ignitionEndpoint, ...given.ignitionEndpoint },
  };
}

/** Another platform has none of the present details. */
function platformDetailsOf(
  { platformType, platformDetails: given }: Settings,
  present: Settings,
): Settings['platformDetails'] {
  const isOther = platformType !== undefined && platformType !== present.platformType;
  const [own, before] = [given?.['external'], present.platformDetails?.['external']];
  return given && !isOther && isObject(own) && isObject(before) ? { ...given, external: { ...before, ...own } } : given;
}

function withFirst<Item>(list: { items: Item[] } | undefined, first: Item | undefined): { items: Item[] } | undefined {
  return first === undefined ? undefined : { items: [first, ...(list?.items ?? []).slice(1)] };
}

function firstClusterNetwork(
  { clusterNetworkCidr, clusterNetworkHostPrefix }: Plain<FirstNetworks>,
  present: Settings['clusterNetworks'],
): Plain<ClusterNetwork> | undefined {
  if (clusterNetworkCidr === undefined && clusterNetworkHostPrefix === undefined) return undefined;
  const before = present?.items[0] ?? DEFAULT_CLUSTER_NETWORKS.ipv4;
  const cidr = clusterNetworkCidr ?? before.cidr;
  const { hostPrefix } = familyOf(cidr) === familyOf(before.cidr) ? before : DEFAULT_CLUSTER_NETWORKS[familyOf(cidr)];
  return { cidr, hostPrefix: clusterNetworkHostPrefix ?? hostPrefix };
}

const familyOf = (cidr: string): 'ipv4' | 'ipv6' => (cidr.includes(':') ? 'ipv6' : 'ipv4');

export interface OperatorInput {
  /** In the form in which they are stored. */
  readonly choices: NonNullable<Settings['olmOperators']>;
  /** Including dependencies: the operators for which the installation waits. */
  readonly monitored: Plain<MonitoredOperator>[];
}

/**
 * Returns the operators of a request, given individually and in bundles, for a cluster with these settings; undefined
 * when the request contains none.
 * @throws RefusalError for an unknown name
 */
export function operatorInput(
  given: Settings,
  bundles: Plain<OperatorBundleList> | undefined,
  settings: Settings,
  operatorSettings: OperatorSettings,
): OperatorInput | undefined {
  if (!given.olmOperators && !bundles) return undefined;
  const cluster: Cluster = {
    isSingleNode: isSingleNodeRequested(settings),
    release: parseVersion(settings.openshiftVersion ?? ''),
    settings: operatorSettings,
  };
  const decision = decideOperators(given, bundles, cluster);
  if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
  const { choices } = decision;
  const sources = new Map(choices.items.map(({ name, sourceBundles }) => [name, sourceBundles]));
  const names = withDependencies([...sources.keys()], cluster);
  return {
    choices,
    monitored: names.flatMap((name) => monitored(name, sources.get(name), cluster)),
  };
}

function monitored(
  name: string,
  sourceBundles: readonly string[] = [],
  cluster: Cluster,
): readonly Plain<MonitoredOperator>[] {
  const plugin = operatorNamed(name);
  if (!plugin) return [];
  return [
    {
      name: plugin.name,
      operatorType: 'olm',
      version: '',
      status: '',
      statusInfo: '',
      timeoutSeconds: plugin.timeoutSeconds,
      ...plugin.installation(cluster),
      bundles: plugin.bundles(cluster).map(({ id }) => id),
      sourceBundles: [...sourceBundles],
    },
  ];
}

const MEMBERS: readonly {
  readonly subject: OverrideSubject;
  readonly member: 'ignoredHostValidations' | 'ignoredClusterValidations';
  /** Name in the v2 API. */
  readonly field: string;
}[] = [
  { subject: 'host', member: 'ignoredHostValidations', field: 'host-validation-ids' },
  { subject: 'cluster', member: 'ignoredClusterValidations', field: 'cluster-validation-ids' },
];

/** @throws RefusalError `invalid-input` with every id that cannot be ignored and the reason */
export function requireIgnorable(changes: Settings): void {
  for (const { subject, member, field } of MEMBERS) {
    const { unknown, neverIgnorable } = checkOverrides(subject, changes[member]?.items ?? []);
    const errors = [
      ...(unknown.length > 0 ? [`unknown validations of a ${subject}: ${shown(unknown)}`] : []),
      ...(neverIgnorable.length > 0 ? [`validations that cannot be ignored: ${shown(neverIgnorable)}`] : []),
    ];
    if (errors.length === 0) continue;
    throw new RefusalError({
      code: 'invalid-input',
      reason: `Nothing was changed: ${errors.join('; ')}.`,
      subject: field,
      allowed: unknown.length > 0 ? [ALL_RULES, ...ignorableRules(subject)] : undefined,
    });
  }
}

/** Limits of ids in a message, because they are input of the caller. */
const DISPLAYED_IDS_MAX = 20;
const DISPLAYED_CHARACTERS_MAX = 100;
const shown = (ids: readonly string[]): string =>
  ids
    .slice(0, DISPLAYED_IDS_MAX)
    .map((id) => id.slice(0, DISPLAYED_CHARACTERS_MAX))
    .join(', ');
