import { hostStages, renderClusterStatus, renderHostStatus } from '@muster/domain';
import { bundleNamed } from '@muster/operators';
import { isOneOf, keptByObject } from '@muster/schema';
import {
  controlPlaneCountOf,
  INITIAL_CLUSTER_OUTCOMES,
  initialHostOutcomes,
  type Outcome,
  type Outcomes,
  renderClusterOutcome,
  type RenderedOutcome,
  renderHostOutcome,
  SUPPRESSED,
} from '@muster/validation-rules';
import type { ClusterDocument, EventDocument, HostDocument, InfraEnvDocument, OutcomeMap } from './documents';
import { presentFeatureUsage } from './feature-usage';
import type { V2ChosenBundle, V2Cluster, V2HostNetwork } from './v2-cluster';
import type { V2Event } from './v2-event';
import { type V2Host, type V2InfraEnv, withDiskEligibility } from './v2-infra-env';

/** The value of the v2 API for a time that is not set. Clients compare this exact text. */
export const UNSET_TIME = '0001-01-01T00:00:00.000Z';

/** A document without its internal members. */
export type Public<Document, Hidden = never> = {
  [Name in keyof Document as Name extends `_${string}` | Hidden ? never : Name]: Document[Name];
};

/** Returns the document without members that start with an underscore, and without the named members. */
export function stripInternals<Document extends object, Hidden extends string = never>(
  document: Document,
  hidden: readonly Hidden[] = [],
): Public<Document, Hidden> {
  const shown: { [member: string]: unknown } = {};
  for (const member in document) {
    const value = document[member];
    if (!member.startsWith('_') && value !== undefined && !isOneOf(hidden, member)) shown[member] = value;
  }
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the loop selects by name what Public selects by type
  return shown as Public<Document, Hidden>;
}

/** The JSON of one outcome in `validations_info`. */
interface OutcomeText {
  readonly category: string;
  readonly json: string;
}

/**
 * Returns a function that renders `validations_info`: JSON text, category to array of `{id, status, message}`, sorted by
 * id. The text of each outcome is kept as long as the outcome. Most outcomes of a host are the initial ones, which all
 * hosts share, and an event replaces only the outcomes that changed, so few texts are rendered for a new document. The text of
 * a new host is that of every new host.
 */
function renderer(initial: Outcomes, render: (outcome: Outcome) => RenderedOutcome): (recorded: OutcomeMap) => string {
  const sorted = [...initial].sort(([first], [second]) => (first < second ? -1 : 1));
  const textOf = keptByObject((outcome: Outcome): OutcomeText => {
    const { id, status, message, category } = render(outcome);
    return { category, json: JSON.stringify({ id, status, message }) };
  });
  const write = (recorded: OutcomeMap): string => {
    const categories = new Map<string, string>();
    for (const [id, unreported] of sorted) {
      const outcome = recorded[id] ?? unreported;
      if (outcome.status === SUPPRESSED) continue;
      const { category, json } = textOf(outcome);
      const before = categories.get(category);
      categories.set(category, before === undefined ? json : `${before},${json}`);
    }
    return `{${Array.from(categories, ([category, list]) => `"${category}":[${list}]`).join(',')}}`;
  };
  let unreported: string | undefined;
  return (recorded) => {
    for (const _id in recorded) return write(recorded);
    return (unreported ??= write(recorded));
  };
}

/**
 * Returns the message of a recorded or initial outcome by rule id. Undefined for an unknown rule and for a validation
 * that passes now, whose message would contradict a reason that contains it.
 */
export const hostOutcomeMessages =
  (recorded: OutcomeMap, isBound: boolean) =>
  (id: string): string | undefined => {
    const outcome = recorded[id] ?? initialHostOutcomes(isBound).get(id);
    return outcome && outcome.status !== 'success' ? renderHostOutcome(outcome).message : undefined;
  };

/** Like `hostOutcomeMessages`, for a cluster. */
export const clusterOutcomeMessages =
  (recorded: OutcomeMap) =>
  (id: string): string | undefined => {
    const outcome = recorded[id] ?? INITIAL_CLUSTER_OUTCOMES.get(id);
    return outcome && outcome.status !== 'success' ? renderClusterOutcome(outcome).message : undefined;
  };

/** `validations_info` of a cluster. */
export const presentClusterOutcomes = renderer(INITIAL_CLUSTER_OUTCOMES, renderClusterOutcome);

const presentBound = renderer(initialHostOutcomes(true), renderHostOutcome);
const presentUnbound = renderer(initialHostOutcomes(false), renderHostOutcome);

/** `validations_info` of a host. Rules for bound hosts are omitted while the host is not bound. */
export const presentHostOutcomes = (recorded: OutcomeMap, isBound: boolean): string =>
  isBound ? presentBound(recorded) : presentUnbound(recorded);

/**
 * Inputs of a host's response that are not in its document: its cluster, and bodies that its document names by digest.
 */
export interface HostParts {
  /** Control plane count of the host's cluster, which determines the stages of a bootstrap host. @default 3 */
  readonly controlPlaneCount?: number;
  /** Clock of the machine, in seconds since the epoch. */
  readonly timestamp?: number;
  /** JSON texts. Absent texts are omitted from the response. */
  readonly inventory?: string;
  readonly connectivity?: string;
  readonly freeAddresses?: string;
  readonly apiVipConnectivity?: string;
  readonly tangConnectivity?: string;
  readonly ignitionConfigOverrides?: string;
}

const OWNERS_OF_MORE_THAN_THE_CONTRACT = ['org_id', 'email_domain'] as const;

/** `host` of the v2 API. */
export function presentHost(document: HostDocument, parts: HostParts = {}): V2Host {
  const { _status_reason: reason, _outcomes: outcomes, _identity_conflict: conflict } = document;
  const isBound = Boolean(document.cluster_id);
  return Object.assign(stripInternals(document, OWNERS_OF_MORE_THAN_THE_CONTRACT), {
    // aicli finds hosts by this member only, so it always contains a name.
    requested_hostname: document.requested_hostname || document._reported_hostname || document.id,
    ...(parts.timestamp && { timestamp: parts.timestamp }),
    status_info: renderHostStatus(reason, hostOutcomeMessages(outcomes, isBound), conflict),
    validations_info: presentHostOutcomes(outcomes, isBound),
    progress_stages: hostStages({
      role: document.role,
      isBootstrap: document.bootstrap,
      isDay2: document.kind === 'AddToExistingClusterHost',
      controlPlaneCount: controlPlaneCountOf(parts),
      isKubeApi: false,
    }),
    ...(parts.inventory && { inventory: withDiskEligibility(parts.inventory, document._disks) }),
    ...(parts.connectivity && { connectivity: parts.connectivity }),
    ...(parts.freeAddresses && { free_addresses: parts.freeAddresses }),
    ...(parts.apiVipConnectivity && { api_vip_connectivity: parts.apiVipConnectivity }),
    ...(parts.tangConnectivity && { tang_connectivity: parts.tangConnectivity }),
    ...(parts.ignitionConfigOverrides && { ignition_config_overrides: parts.ignitionConfigOverrides }),
  });
}

/** With fewer workers, the control plane must run the workloads. */
const MIN_WORKERS_OF_THEIR_OWN = 2;

export interface ClusterParts {
  /** Presented hosts. @default none */
  readonly hosts?: readonly V2Host[];
  /** Host documents for `host_networks`. @default none */
  readonly hostDocuments?: readonly HostDocument[];
  /** JSON text. Absent: omitted. */
  readonly installConfigOverrides?: string;
}

/** `cluster` of the v2 API. */
export function presentCluster(
  document: ClusterDocument,
  { hosts = [], hostDocuments = [], installConfigOverrides }: ClusterParts = {},
): V2Cluster {
  const collisions = presentIpCollisions(document);
  const bundles = presentBundles(document);
  return Object.assign(stripInternals(document), {
    status_info: renderClusterStatus(document._status_reason) + downloadText(document),
    validations_info: presentClusterOutcomes(document._outcomes),
    schedulable_masters_forced_true: document._worker_count < MIN_WORKERS_OF_THEIR_OWN,
    feature_usage: presentFeatureUsage(document, hostDocuments),
    host_networks: presentHostNetworks(hostDocuments),
    hosts,
    ...(installConfigOverrides && { install_config_overrides: installConfigOverrides }),
    // In assisted-service v2, a capability of an organisation. Here the process decides whether timeouts are soft.
    ...(!document.imported && { org_soft_timeouts_enabled: true }),
    ...(collisions && { ip_collisions: collisions }),
    ...(bundles.length > 0 && { operator_bundles: bundles }),
  });
}

const MIB = 1024 ** 2;

/** Returns the progress of the download of the installer, which may take minutes. Empty without a download. */
function downloadText({ _release_download: download, status }: ClusterDocument): string {
  if (!download || status !== 'preparing-for-installation') return '';
  const [done, total] = [download.bytes, download.total_bytes].map((bytes) => Math.floor(bytes / MIB));
  return `. Downloading the installer of the release: ${done} of ${total} MiB`;
}

/** Returns the collisions that any host reported. Undefined when there are none. */
function presentIpCollisions({ _colliding_machines: machines = {} }: ClusterDocument): string | undefined {
  const sorted = Object.entries(machines).sort(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(sorted.map(([address, counts]) => [address, Object.keys(counts).sort()])));
}

/** Returns the bundles through which operators were selected, with the selected optional operators. */
function presentBundles(document: ClusterDocument): readonly V2ChosenBundle[] {
  const isSingleNode = document.control_plane_count === 1;
  const ids = new Set(document.monitored_operators.flatMap(({ source_bundles: sources = [] }) => sources));
  return [...ids].map((id) => {
    const optional: readonly string[] = bundleNamed(id, { isSingleNode })?.optionalOperators ?? [];
    return {
      id,
      optional_operators: document.monitored_operators
        .filter(({ name, source_bundles: sources = [] }) => sources.includes(id) && optional.includes(name))
        .map(({ name }) => name),
    };
  });
}

/** Returns the networks in the order of the hosts, each with the ids of its hosts. */
export function presentHostNetworks(hosts: readonly HostDocument[]): readonly V2HostNetwork[] {
  const members = new Map<string, string[]>();
  for (const host of hosts) {
    for (const cidr of host._networks) {
      const ids = members.get(cidr);
      if (ids) ids.push(host.id);
      else members.set(cidr, [host.id]);
    }
  }
  return [...members].map(([cidr, host_ids]) => ({ cidr, host_ids }));
}

const FILTERED_BY_ONLY = ['category', 'request_id', 'user_name', 'org_id', 'email_domain'] as const;

/**
 * `event` of the v2 API in lists. `withOrigin`: `props` also contains the origin of the command, except for metrics. Programs
 * choose the properties of the events that they post, so these cannot replace it.
 */
export function presentEvent(document: EventDocument, { withOrigin = false } = {}): V2Event {
  const { category, cluster_id, host_id, infra_env_id, _props } = document;
  const isMetric = category === 'metrics';
  const ids = isMetric ? {} : { cluster_id, host_id, infra_env_id };
  const props = JSON.stringify({ ...ids, ..._props, ...(withOrigin && !isMetric ? originOf(document) : {}) });
  return { ...stripInternals(document, FILTERED_BY_ONLY), props };
}

const originOf = ({ _actor, _source_address, _correlation_id }: EventDocument): object => ({
  actor: _actor,
  source_address: _source_address,
  correlation_id: _correlation_id,
});

/** `infra-env` of the v2 API. The URL is signed for each response, so it is not part of the document. */
export function presentInfraEnv(
  document: InfraEnvDocument,
  download: { readonly url?: string; readonly expiresAt?: string; readonly generatorVersion?: string } = {},
  documents: {
    readonly ignitionConfigOverride?: string;
    readonly staticNetworkConfig?: string;
    readonly trustBundle?: string;
  } = {},
): V2InfraEnv {
  const { ignitionConfigOverride, staticNetworkConfig, trustBundle } = documents;
  return {
    ...stripInternals(document),
    ...(ignitionConfigOverride && { ignition_config_override: ignitionConfigOverride }),
    ...(staticNetworkConfig && { static_network_config: staticNetworkConfig }),
    ...(trustBundle && { additional_trust_bundle: trustBundle }),
    ...(download.url && { download_url: download.url }),
    ...(download.generatorVersion && { generator_version: download.generatorVersion }),
    expires_at: download.expiresAt ?? UNSET_TIME,
  };
}
