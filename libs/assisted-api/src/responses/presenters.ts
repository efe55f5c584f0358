import { hostStages, renderClusterStatus, renderHostStatus } from '@muster/domain';
import { bundleNamed } from '@muster/operators';
import {
  completeClusterOutcomes,
  completeHostOutcomes,
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

/** Returns the document without members that start with an underscore, and without the named members. */
export function stripInternals<Document extends object>(
  document: Document,
  unshown: readonly string[] = [],
): { [member: string]: unknown } {
  const shown: { [member: string]: unknown } = {};
  for (const [member, value] of Object.entries(document)) {
    if (!member.startsWith('_') && value !== undefined && !unshown.includes(member)) shown[member] = value;
  }
  return shown;
}

/**
 * Renders all outcomes of one kind of subject. Most calls pass the same map as the previous call, which is never
 * changed in place, so the last result is cached.
 */
function renderer(
  complete: (recorded: Outcomes) => readonly Outcome[],
  render: (outcome: Outcome) => RenderedOutcome,
): (recorded: OutcomeMap) => string {
  const rendered = new WeakMap<OutcomeMap, string>();
  return (recorded) => {
    const known = rendered.get(recorded);
    if (known !== undefined) return known;
    const text = toText(complete(new Map(Object.entries(recorded))), render);
    rendered.set(recorded, text);
    return text;
  };
}

/** Returns `validations_info`: JSON text, category to array of `{id, status, message}`, sorted by id. */
function toText(outcomes: readonly Outcome[], render: (outcome: Outcome) => RenderedOutcome): string {
  const categories: Record<string, { id: string; status: string; message: string }[]> = {};
  for (const outcome of [...outcomes].sort((first, second) => (first.id < second.id ? -1 : 1))) {
    if (outcome.status === SUPPRESSED) continue;
    const { id, status, message, category } = render(outcome);
    (categories[category] ??= []).push({ id, status, message });
  }
  return JSON.stringify(categories);
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
export const presentClusterOutcomes = renderer(completeClusterOutcomes, renderClusterOutcome);

const presentBound = renderer((recorded) => completeHostOutcomes(recorded, true), renderHostOutcome);
const presentUnbound = renderer((recorded) => completeHostOutcomes(recorded, false), renderHostOutcome);

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

const OWNERS_OF_MORE_THAN_THE_CONTRACT = ['org_id', 'email_domain'];

/** `host` of the v2 API. */
export function presentHost(document: HostDocument, parts: HostParts = {}): V2Host {
  const host = stripInternals(document, OWNERS_OF_MORE_THAN_THE_CONTRACT);
  // aicli finds hosts by this member only, so it always contains a name.
  host.requested_hostname = document.requested_hostname || document._reported_hostname || document.id;
  if (parts.timestamp) host.timestamp = parts.timestamp;
  const { _status_reason: reason, _outcomes: outcomes, _identity_conflict: conflict } = document;
  const isBound = Boolean(document.cluster_id);
  host.status_info = renderHostStatus(reason, hostOutcomeMessages(outcomes, isBound), conflict);
  host.validations_info = presentHostOutcomes(outcomes, isBound);
  host.progress_stages = hostStages({
    role: document.role,
    isBootstrap: document.bootstrap,
    isDay2: document.kind === 'AddToExistingClusterHost',
    controlPlaneCount: controlPlaneCountOf(parts),
    isKubeApi: false,
  });
  if (parts.inventory) host.inventory = withDiskEligibility(parts.inventory, document._disks);
  if (parts.connectivity) host.connectivity = parts.connectivity;
  if (parts.freeAddresses) host.free_addresses = parts.freeAddresses;
  if (parts.apiVipConnectivity) host.api_vip_connectivity = parts.apiVipConnectivity;
  if (parts.tangConnectivity) host.tang_connectivity = parts.tangConnectivity;
  if (parts.ignitionConfigOverrides) host.ignition_config_overrides = parts.ignitionConfigOverrides;
  return host as V2Host;
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
  const cluster = stripInternals(document);
  cluster.status_info = renderClusterStatus(document._status_reason) + downloadText(document);
  cluster.validations_info = presentClusterOutcomes(document._outcomes);
  cluster.schedulable_masters_forced_true = document._worker_count < MIN_WORKERS_OF_THEIR_OWN;
  cluster.feature_usage = presentFeatureUsage(document);
  cluster.host_networks = presentHostNetworks(hostDocuments);
  cluster.hosts = hosts;
  if (installConfigOverrides) cluster.install_config_overrides = installConfigOverrides;
  // In assisted-service v2, a capability of an organisation. Here the process decides whether timeouts are soft.
  if (!document.imported) cluster.org_soft_timeouts_enabled = true;
  const collisions = presentIpCollisions(document);
  if (collisions) cluster.ip_collisions = collisions;
  const bundles = presentBundles(document);
  if (bundles.length > 0) cluster.operator_bundles = bundles;
  return cluster as V2Cluster;
}

const MIB = 1024 ** 2;

/** Returns the progress of the download of the installer, which may take minutes. Empty without a download. */
function downloadText({ _release_download: download, status }: ClusterDocument): string {
  if (!download || status !== 'preparing-for-installation') return '';
  const [done, total] = [download.bytes, download.total_bytes].map((bytes) => Math.floor(bytes / MIB));
  return `. Downloading the installer of the release: ${done} of ${total} MiB`;
}

/** Returns the collisions that any host reported. Undefined when there are none. */
function presentIpCollisions({ _ip_collisions: seenBy = {} }: ClusterDocument): string | undefined {
  const machines = new Map<string, Set<string>>();
  for (const seen of Object.values(seenBy))
    for (const [address, macs] of Object.entries(seen))
      machines.set(address, new Set([...(machines.get(address) ?? []), ...macs]));
  if (machines.size === 0) return undefined;
  const sorted = [...machines].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([address, macs]) => [address, [...macs].sort()])));
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

const FILTERED_BY_ONLY = ['category', 'request_id', 'user_name', 'org_id', 'email_domain'];

/** `event` of the v2 API in lists. */
export function presentEvent(document: EventDocument): V2Event {
  const event = stripInternals(document, FILTERED_BY_ONLY);
  const { cluster_id, host_id, infra_env_id, _props } = document;
  event.props = JSON.stringify({ cluster_id, host_id, infra_env_id, ..._props });
  return event as V2Event;
}

/** `infra-env` of the v2 API. The URL is signed for each response, so it is not part of the document. */
export function presentInfraEnv(
  document: InfraEnvDocument,
  download: { readonly url?: string; readonly expiresAt?: string; readonly generatorVersion?: string } = {},
  documents: { readonly ignitionConfigOverride?: string; readonly staticNetworkConfig?: string } = {},
): V2InfraEnv {
  const infraEnv = stripInternals(document);
  if (documents.ignitionConfigOverride) infraEnv.ignition_config_override = documents.ignitionConfigOverride;
  if (documents.staticNetworkConfig) infraEnv.static_network_config = documents.staticNetworkConfig;
  if (download.url) infraEnv.download_url = download.url;
  if (download.generatorVersion) infraEnv.generator_version = download.generatorVersion;
  infraEnv.expires_at = download.expiresAt ?? UNSET_TIME;
  return infraEnv as V2InfraEnv;
}
