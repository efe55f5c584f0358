import type { InventoryEvent } from '@muster/contracts';
import { type AddressRange, parseAddressRanges } from '@muster/addresses';
import { GOOD_LATENCY_MS, type Hardware, type HostFacts, type Reach, type Reaches } from '@muster/validation-rules';
import type { EventData } from '@muster/contracts';

interface FreeAddresses {
  readonly network: string;
  /** As reported: most hosts of a network report the same list. */
  readonly text: string;
  readonly ranges: readonly AddressRange[];
}

/** The reports of a host in its present generation. `undefined` means: not reported yet. */
export interface HostReports {
  readonly hardware: Hardware | undefined;
  readonly diskSpeeds: HostFacts['diskSpeeds'];
  readonly images: HostFacts['images'];
  readonly ntpSources: HostFacts['ntpSources'];
  readonly clockOffsetSeconds: number | undefined;
  readonly vips: EventData<'VipsVerified'>['vips'];
  readonly isIgnitionDownloaded: boolean | undefined;
  readonly mtuFailures: HostFacts['mtuFailures'];
  /** Undefined until the host tried to reach the others. */
  readonly reaches: Reaches | undefined;
  /** Those of them that are slow or lose packets. */
  readonly weakReaches: readonly Reach[];
  readonly collisions: EventData<'ConnectivityReported'>['collisions'];
  readonly resolutions: HostFacts['resolutions'];
  readonly isTangReached: boolean | undefined;
  readonly workerEncryption: string | undefined;
  readonly workerNetworking: string | undefined;
  readonly freeAddresses: readonly FreeAddresses[];
}

export const NO_REPORTS: HostReports = {
  hardware: undefined,
  diskSpeeds: [],
  images: [],
  ntpSources: undefined,
  clockOffsetSeconds: undefined,
  vips: [],
  isIgnitionDownloaded: undefined,
  mtuFailures: undefined,
  reaches: undefined,
  weakReaches: [],
  collisions: [],
  resolutions: undefined,
  isTangReached: undefined,
  workerEncryption: undefined,
  workerNetworking: undefined,
  freeAddresses: [],
};

/** Returns the reports after one more. Reports that no rule reads change nothing. */
export function evolveReports(reports: HostReports, event: InventoryEvent): HostReports {
  switch (event.type) {
    case 'InventoryReported':
      return { ...reports, hardware: event.data.hardware };
    case 'DiskSpeedMeasured': {
      const others = reports.diskSpeeds.filter(({ path }) => path !== event.data.path);
      return { ...reports, diskSpeeds: [...others, event.data] };
    }
    case 'ImageAvailabilityReported': {
      const named = new Set(event.data.images.map(({ name }) => name));
      return { ...reports, images: [...reports.images.filter(({ name }) => !named.has(name)), ...event.data.images] };
    }
    case 'NtpSourcesReported':
      return { ...reports, ntpSources: event.data.sources };
    case 'ClockOffsetMeasured':
      return { ...reports, clockOffsetSeconds: event.data.offsetSeconds };
    case 'VipsVerified':
      return { ...reports, vips: event.data.vips };
    case 'ApiVipConnectivityReported':
      return {
        ...reports,
        isIgnitionDownloaded: event.data.isSuccess,
        // A failed download does not invalidate an earlier successful one.
        ...(event.data.isSuccess
          ? { workerEncryption: event.data.diskEncryption, workerNetworking: event.data.networking }
          : {}),
      };
    case 'ConnectivityReported':
      return {
        ...reports,
        mtuFailures: event.data.mtuMeasured ? event.data.mtuFailures : undefined,
        ...changedReaches(reports.reaches, event.data),
        collisions: event.data.collisions,
      };
    case 'ReportCleared':
      return { ...reports, ...CLEARED[event.data.stepType] };
    case 'DomainsResolved':
      return { ...reports, resolutions: event.data.resolutions };
    case 'FreeAddressesReported':
      return { ...reports, freeAddresses: event.data.networks.map(toParsed) };
    case 'TangConnectivityReported':
      return { ...reports, isTangReached: event.data.isSuccess };
    default: {
      // A report of a newer version: this one has no rule for it.
      const unknown: never = event;
      return unknown === undefined ? reports : reports;
    }
  }
}

/** The reports that are unknown again once the result of a step was cleared. */
const CLEARED: { readonly [stepType: string]: Partial<HostReports> | undefined } = {
  inventory: { hardware: undefined },
  'installation-disk-speed-check': { diskSpeeds: [] },
  'container-image-availability': { images: [] },
  'ntp-synchronizer': { ntpSources: undefined },
  'verify-vips': { vips: [] },
  'api-vip-connectivity-check': { isIgnitionDownloaded: undefined },
  'connectivity-check': { mtuFailures: undefined, reaches: undefined, weakReaches: [], collisions: [] },
  'domain-resolution': { resolutions: undefined },
  'tang-connectivity-check': { isTangReached: undefined },
  'free-network-addresses': { freeAddresses: [] },
};

/** Entries that did not change remain the same objects: changes are detected by identity. */
function changedReaches(
  known: Reaches | undefined,
  { peers, vanishedPeers }: EventData<'ConnectivityReported'>,
): Pick<HostReports, 'reaches' | 'weakReaches'> {
  const reaches = new Map<string, Reach>(known ?? []);
  for (const peer of peers) reaches.set(peer.hostId, peer);
  for (const hostId of vanishedPeers) reaches.delete(hostId);
  return { reaches, weakReaches: [...reaches.values()].filter(isWeak) };
}

const isWeak = ({ latencyMs, packetLossPercent }: Reach): boolean =>
  !(latencyMs <= GOOD_LATENCY_MS && packetLossPercent === 0);

/** Parsed once per report: all hosts of a cluster report such lists, and each evaluation reads them. */
const toParsed = ({ network, ranges }: EventData<'FreeAddressesReported'>['networks'][number]): FreeAddresses => ({
  network,
  text: ranges.join(),
  ranges: parseAddressRanges(ranges),
});
