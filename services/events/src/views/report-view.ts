import { formatNetwork, parseCidrs } from '@muster/addresses';
import type { ClusterDocument, HostDocument, IpCollisions, MachineSizes } from '@muster/assisted-api';
import { type EventData, type InventoryEvent, REPORTED_RESULTS_MAX } from '@muster/contracts';
import { type Members, objectAt, parseJson } from '@muster/schema';
import { diskIdOf, disksToFormat } from '@muster/validation-rules';
import type { DataByType } from '../event-rows';
import { orAbsent, type Patch, unchanged, type ViewRows } from './view-rows';

/** Returns the address collisions that a host reports; undefined without any. */
export function toIpCollisions(collisions: EventData<'ConnectivityReported'>['collisions']): IpCollisions | undefined {
  if (collisions.length === 0) return undefined;
  return Object.fromEntries(collisions.map(({ address, macAddresses }) => [address, macAddresses]));
}

/** A change of the address collisions that a cluster shows. */
export interface CollisionsChange {
  readonly clusterId: string;
  readonly seen: IpCollisions;
  /** 1: one more host reports them. -1: one host less. */
  readonly by: 1 | -1;
}

/** Returns the changes for the clusters that a host is in, leaves or joins. Usually empty. */
export function collisionsChanges(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
): readonly CollisionsChange[] {
  const isSame = before?.cluster_id === after?.cluster_id && currentCollisions(before) === currentCollisions(after);
  if (isSame) return [];
  const changeOf = (document: HostDocument | undefined, by: CollisionsChange['by']): readonly CollisionsChange[] => {
    const seen = currentCollisions(document);
    return document?.cluster_id && seen ? [{ clusterId: document.cluster_id, seen, by }] : [];
  };
  // The collisions are removed from the previous cluster and added to the present one.
  return [...changeOf(before, -1), ...changeOf(after, 1)];
}

/** A disconnected host does not check its connectivity, so what it reported last is outdated. */
const currentCollisions = (host: HostDocument | undefined): IpCollisions | undefined =>
  host?.status === 'disconnected' ? undefined : host?._ip_collisions;

/** Counts the reporting hosts. A list per host would have the size of the cluster twice: one router may answer for all of its addresses. */
export function withCollisions(cluster: ClusterDocument, { seen, by }: CollisionsChange): ClusterDocument {
  const machines = new Map(Object.entries(cluster._colliding_machines ?? {}));
  for (const [address, macAddresses] of Object.entries(seen)) {
    const counts = new Map(Object.entries(machines.get(address) ?? {}));
    for (const mac of macAddresses) counts.set(mac, (counts.get(mac) ?? 0) + by);
    const reported = [...counts].filter(([, count]) => count > 0);
    if (reported.length > 0) machines.set(address, Object.fromEntries(reported));
    else machines.delete(address);
  }
  return { ...cluster, _colliding_machines: Object.fromEntries(machines) };
}

/** How reports change the document of a host. */
export const REPORT_VIEW: ViewRows<DataByType<InventoryEvent>, HostDocument> = {
  InventoryReported: (_host, { body, hardware }) => ({
    _inventory_digest: body?.digest,
    _reported_hostname: orAbsent(hardware?.hostname ?? ''),
    _is_virtual: hardware?.isVirtual || undefined,
    _networks: networksOf(hardware?.nics ?? []),
    _sizes: hardware && sizesOf(hardware),
    disks_to_be_formatted: orAbsent(disksToFormat(hardware?.disks ?? []).join(',')),
  }),
  NtpSourcesReported: (_host, { sources }) => ({
    ntp_sources: JSON.stringify(
      sources.map(({ sourceName, sourceState }) => ({ source_name: sourceName, source_state: sourceState })),
    ),
  }),
  ConnectivityReported: (_host, { body, collisions }) => ({
    _connectivity_digest: body?.digest,
    _ip_collisions: toIpCollisions(collisions),
  }),
  DiskSpeedMeasured: (host, { path, exitCode, ioSyncDurationMs }) => ({
    disks_info: withResults(host.disks_info, [
      [path, { path, disk_speed: { tested: true, exit_code: exitCode, speed_ms: ioSyncDurationMs } }],
    ]),
  }),
  ImageAvailabilityReported: (host, { images }) => ({ images_status: mergeImages(host.images_status, images) }),
  DomainsResolved: (_host, { resolutions }) => ({
    domain_name_resolutions: JSON.stringify({
      resolutions: resolutions.map(({ domainName, ipv4Addresses, ipv6Addresses, cnames }) => ({
        domain_name: domainName,
        ipv4_addresses: ipv4Addresses,
        ipv6_addresses: ipv6Addresses,
        cnames,
      })),
    }),
  }),
  FreeAddressesReported: (_host, { body }) => ({ _free_addresses_digest: body?.digest }),
  // The document of the cluster shows the collisions.
  VipsVerified: unchanged,
  TangConnectivityReported: (_host, { body }) => ({ _tang_connectivity_digest: body?.digest }),
  ApiVipConnectivityReported: (_host, { body }) => ({ _api_vip_connectivity_digest: body?.digest }),
  ClockOffsetMeasured: unchanged,
  // The note `host_step_failed` is in the event log, and the outcomes name the step.
  StepFailed: unchanged,
  ReportCleared: (_host, { stepType }) => CLEARED_BY_STEP.get(stepType) ?? {},
};

/** The members of a JSON object that the document holds as text. */
export const membersIn = (text: string | undefined): Members => objectAt(parseJson(text ?? '{}'));

function sizesOf(hardware: Hardware): MachineSizes {
  const { cpuCount, physicalMemoryBytes, disks, nics, physicalNicCount, manufacturer, productName } = hardware;
  return {
    cores: cpuCount,
    memoryBytes: physicalMemoryBytes,
    disks: disks.map((disk) => ({ id: diskIdOf(disk), type: disk.driveType, bytes: disk.sizeBytes })),
    nicsMbps: nics.map(({ speedMbps }) => speedMbps),
    physicalNicCount,
    ...(hardware.hasVendor === false ? {} : { vendor: manufacturer, product: productName }),
  };
}

/** Members that are void after the last result of a step was discarded. */
const CLEARED_BY_STEP: ReadonlyMap<string, Patch<HostDocument>> = new Map([
  ['installation-disk-speed-check', { disks_info: undefined }],
  ['container-image-availability', { images_status: undefined }],
  ['ntp-synchronizer', { ntp_sources: undefined }],
  ['domain-resolution', { domain_name_resolutions: undefined }],
  ['connectivity-check', { _connectivity_digest: undefined, _ip_collisions: undefined }],
  ['free-network-addresses', { _free_addresses_digest: undefined }],
  ['tang-connectivity-check', { _tang_connectivity_digest: undefined }],
  ['api-vip-connectivity-check', { _api_vip_connectivity_digest: undefined }],
]);

type Hardware = NonNullable<EventData<'InventoryReported'>['hardware']>;

function networksOf(nics: Hardware['nics']): readonly string[] {
  const addresses = nics.flatMap(({ ipv4Addresses, ipv6Addresses }) => [...ipv4Addresses, ...ipv6Addresses]);
  return [...new Set(parseCidrs(addresses).map(formatNetwork))];
}

/**
 * Returns a JSON object of image to `container_image_availability`. A later report about an image replaces the earlier
 * one.
 */
function mergeImages(before: string | undefined, images: EventData<'ImageAvailabilityReported'>['images']): string {
  const results = images.map(
    ({ name, sizeBytes, seconds, downloadRateMbps, result }) =>
      [name, { name, size_bytes: sizeBytes, time: seconds, download_rate: downloadRateMbps, result }] as const,
  );
  return withResults(before, results);
}

/** Adds results by name to a JSON object and removes the oldest ones. */
function withResults(
  before: string | undefined,
  results: readonly (readonly [name: string, result: object])[],
): string {
  const byName = new Map(Object.entries(membersIn(before)));
  for (const [name, result] of results) byName.set(name, result);
  return JSON.stringify(Object.fromEntries([...byName].slice(-REPORTED_RESULTS_MAX)));
}
