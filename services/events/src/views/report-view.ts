import type { HostDocument, MachineSizes } from '@muster/assisted-api';
import type { EventData, InventoryEvent } from '@muster/contracts';
import { formatNetwork, parseCidrs } from '@muster/addresses';
import { disksToFormat } from '@muster/validation-rules';
import { toIpCollisions } from './ip-collisions';
import { orAbsent, type Patch, unchanged, type ViewRows } from './view-rows';

/** What hosts report, as far as it shows in the host's document. */
export const REPORT_VIEW: ViewRows<InventoryEvent, HostDocument> = {
  InventoryReported: (_host, { body, hardware }) => ({
    _inventory_digest: body?.digest,
    _reported_hostname: orAbsent(hardware?.hostname ?? ''),
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
    disks_info: JSON.stringify({
      ...(JSON.parse(host.disks_info ?? '{}') as object),
      [path]: { path, disk_speed: { tested: true, exit_code: exitCode, speed_ms: ioSyncDurationMs } },
    }),
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
  // Shows in the cluster's document.
  VipsVerified: unchanged,
  TangConnectivityReported: (_host, { body }) => ({ _tang_connectivity_digest: body?.digest }),
  ApiVipConnectivityReported: (_host, { body }) => ({ _api_vip_connectivity_digest: body?.digest }),
  ClockOffsetMeasured: unchanged,
  ReportCleared: (_host, { stepType }) => CLEARED_BY_STEP.get(stepType) ?? {},
};

function sizesOf({ cpuCount, physicalMemoryBytes, disks, nics }: Hardware): MachineSizes {
  return {
    cores: cpuCount,
    memoryBytes: physicalMemoryBytes,
    disks: disks.map(({ driveType, sizeBytes }) => ({ type: driveType, bytes: sizeBytes })),
    nicsMbps: nics.map(({ speedMbps }) => speedMbps),
  };
}

/** What is void once the last result of a step no longer counts. */
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

/** JSON array of `container_image_availability`; a later report of an image replaces the one before. */
function mergeImages(before: string | undefined, images: EventData<'ImageAvailabilityReported'>['images']): string {
  const known = JSON.parse(before ?? '[]') as readonly { readonly name: string }[];
  const byName = new Map(known.map((image) => [image.name, image]));
  for (const { name, sizeBytes, seconds, downloadRateMbps, result } of images)
    byName.set(
      name,
      Object.assign({ name }, { size_bytes: sizeBytes, time: seconds, download_rate: downloadRateMbps, result }),
    );
  return JSON.stringify([...byName.values()]);
}
