import { type EventData, type InventoryEvent, REPORTED_RESULTS_MAX } from '@muster/contracts';
import { type AddressRange, parseAddressRanges } from '@muster/addresses';
import { keptByText } from '@muster/schema';
import { GOOD_LATENCY_MS, type Hardware, type HostFacts, type Reach, type Reaches } from '@muster/validation-rules';

interface FreeAddresses {
  readonly network: string;
  /** The reported text. Most hosts of a network report the same list. */
  readonly text: string;
  readonly ranges: readonly AddressRange[];
}

/** The reports of a host in its current generation. `undefined` means that no report has arrived. */
export interface HostReports {
  readonly hardware: Hardware | undefined;
  readonly diskSpeeds: HostFacts['diskSpeeds'];
  readonly images: HostFacts['images'];
  readonly ntpSources: HostFacts['ntpSources'];
  readonly clockOffsetSeconds: number | undefined;
  readonly vips: EventData<'VipsVerified'>['vips'];
  readonly isIgnitionDownloaded: boolean | undefined;
  readonly mtuFailures: HostFacts['mtuFailures'];
  /** Undefined until the host has checked its connectivity. */
  readonly reaches: Reaches | undefined;
  /** The reached hosts whose connection is slow or loses packets. */
  readonly weakReaches: readonly Reach[];
  readonly collisions: EventData<'ConnectivityReported'>['collisions'];
  readonly resolutions: HostFacts['resolutions'];
  readonly isTangReached: boolean | undefined;
  readonly workerEncryption: string | undefined;
  readonly workerNetworking: string | undefined;
  readonly freeAddresses: readonly FreeAddresses[];
  /** Steps that the host could not run → the reason. */
  readonly failedSteps: HostFacts['failedSteps'];
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
  failedSteps: new Map(),
};

/** The connections of a host as columns, in the order of the reached hosts: an object per host would need three times the space. */
interface SavedReaches {
  readonly hostIds: readonly string[];
  /** JSON arrays. */
  readonly nearAddresses: readonly string[];
  /** JSON arrays; empty when they are equal to the near addresses. */
  readonly farAddresses: readonly string[];
  readonly latencyMs: readonly number[];
  readonly packetLossPercent: readonly number[];
}

/** The reports of a host as they are saved. `weakReaches` is empty beside columns. */
export interface SavedReports extends Omit<HostReports, 'reaches'> {
  readonly reaches: Reaches | SavedReaches | undefined;
}

const CONNECTIVITY_STEP = 'connectivity-check';

/** Returns true for a host that could not run the last check of its connectivity. No other host waits for its report. */
export const failsToCheck = ({ failedSteps }: Pick<HostReports, 'failedSteps'>): boolean =>
  failedSteps.has(CONNECTIVITY_STEP);

/** Returns true for a host with an inventory that lists its addresses. Only the addresses of these hosts are checked. */
export const canBeChecked = ({ hardware }: Pick<HostReports, 'hardware'>): boolean =>
  hardware !== undefined && hardware.truncation !== 'full';

/** The event of each report → the type of its step. */
const STEP_TYPES: { readonly [type: string]: string } = {
  InventoryReported: 'inventory',
  ConnectivityReported: CONNECTIVITY_STEP,
  NtpSourcesReported: 'ntp-synchronizer',
  DomainsResolved: 'domain-resolution',
  VipsVerified: 'verify-vips',
  FreeAddressesReported: 'free-network-addresses',
  ApiVipConnectivityReported: 'api-vip-connectivity-check',
  TangConnectivityReported: 'tang-connectivity-check',
  DiskSpeedMeasured: 'installation-disk-speed-check',
  ImageAvailabilityReported: 'container-image-availability',
};

/** A report of a step ends its failure, and so does a request for another one. */
function withoutFailure(reports: HostReports, event: InventoryEvent): HostReports {
  const stepType = event.type === 'ReportCleared' ? event.data.stepType : (STEP_TYPES[event.type] ?? '');
  if (!reports.failedSteps.has(stepType)) return reports;
  return { ...reports, failedSteps: new Map([...reports.failedSteps].filter(([failed]) => failed !== stepType)) };
}

/** Returns the reports after one more report. Reports that no rule reads change nothing. */
export function evolveReports(before: HostReports, event: InventoryEvent): HostReports {
  const reports = withoutFailure(before, event);
  switch (event.type) {
    case 'InventoryReported':
      return { ...reports, hardware: event.data.hardware };
    case 'DiskSpeedMeasured': {
      const others = reports.diskSpeeds.filter(({ path }) => path !== event.data.path);
      return { ...reports, diskSpeeds: [...others, event.data].slice(-REPORTED_RESULTS_MAX) };
    }
    case 'ImageAvailabilityReported': {
      const named = new Set(event.data.images.map(({ name }) => name));
      const others = reports.images.filter(({ name }) => !named.has(name));
      return { ...reports, images: [...others, ...event.data.images].slice(-REPORTED_RESULTS_MAX) };
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
    case 'StepFailed':
      return { ...reports, failedSteps: new Map([...reports.failedSteps, [event.data.stepType, event.data.reason]]) };
    case 'ReportCleared':
      return { ...reports, ...CLEARED[event.data.stepType] };
    case 'DomainsResolved':
      return { ...reports, resolutions: event.data.resolutions };
    case 'FreeAddressesReported':
      return { ...reports, freeAddresses: event.data.networks.map(toParsed) };
    case 'TangConnectivityReported':
      return { ...reports, isTangReached: event.data.isSuccess };
    default: {
      // A report type of a newer version, for which this version has no rule.
      const unknown: never = event;
      return unknown === undefined ? reports : reports;
    }
  }
}

/** The reports that become unknown when the result of a step is cleared. */
const CLEARED: { readonly [stepType: string]: Partial<HostReports> | undefined } = {
  inventory: { hardware: undefined },
  'installation-disk-speed-check': { diskSpeeds: [] },
  'container-image-availability': { images: [] },
  'ntp-synchronizer': { ntpSources: undefined },
  'verify-vips': { vips: [] },
  'api-vip-connectivity-check': { isIgnitionDownloaded: undefined },
  [CONNECTIVITY_STEP]: { mtuFailures: undefined, reaches: undefined, weakReaches: [], collisions: [] },
  'domain-resolution': { resolutions: undefined },
  'tang-connectivity-check': { isTangReached: undefined },
  'free-network-addresses': { freeAddresses: [] },
};

/** Unchanged entries remain the same objects, because changes are detected by identity. */
function changedReaches(
  known: Reaches | undefined,
  { peers, vanishedPeers }: EventData<'ConnectivityReported'>,
): Pick<HostReports, 'reaches' | 'weakReaches'> {
  const reaches = new Map<string, Reach>(known ?? []);
  for (const peer of peers) {
    const reach = withSharedTexts(peer);
    reaches.set(reach.hostId, reach);
  }
  for (const hostId of vanishedPeers) reaches.delete(hostId);
  return { reaches, weakReaches: weakOf(reaches) };
}

const weakOf = (reaches: Reaches): readonly Reach[] => [...reaches.values()].filter(isWeak);

const isWeak = ({ latencyMs, packetLossPercent }: Reach): boolean =>
  !(latencyMs <= GOOD_LATENCY_MS && packetLossPercent === 0);

/** More texts than the hosts of a large cluster report. */
const SHARED_MAX = 20_000;
/** Longer lists are not shared. Two addresses of each family have about 100 characters. */
const SHARED_CHARACTERS_MAX = 256;
const sharedText = keptByText((text) => text, SHARED_MAX);
const listOfText = keptByText((_text, list: Reach['nearAddresses']) => list, SHARED_MAX, SHARED_CHARACTERS_MAX);

function sharedList(list: Reach['nearAddresses']): Reach['nearAddresses'] {
  const shared = listOfText(list.join(), list);
  // Agents may report addresses that contain commas.
  return shared.length === list.length ? shared : list;
}

/**
 * Returns the same connection with the id and the addresses of another report about the host. Each host of a cluster reports all
 * others, so these texts would be the largest part of the memory of a large cluster.
 */
const withSharedTexts = (reach: Reach): Reach => ({
  ...reach,
  hostId: sharedText(reach.hostId),
  nearAddresses: sharedList(reach.nearAddresses),
  farAddresses: sharedList(reach.farAddresses),
});

/** Returns the reports with their connections in columns. */
export function compactedReports(reports: SavedReports): SavedReports {
  const { reaches } = reports;
  if (!isReaches(reaches)) return reports;
  const all = [...reaches.values()];
  const nearAddresses = all.map((reach) => JSON.stringify(reach.nearAddresses));
  const farAddresses = all.map((reach) => JSON.stringify(reach.farAddresses));
  return {
    ...reports,
    reaches: {
      hostIds: [...reaches.keys()],
      nearAddresses,
      farAddresses: farAddresses.map((far, index) => (far === nearAddresses[index] ? '' : far)),
      latencyMs: all.map(({ latencyMs }) => latencyMs),
      packetLossPercent: all.map(({ packetLossPercent }) => packetLossPercent),
    },
    weakReaches: [],
  };
}

const isReaches = (reaches: SavedReports['reaches']): reaches is Reaches => reaches instanceof Map;

/** Returns the reports of which these are the saved form. */
export function reportsFromSaved(saved: SavedReports): HostReports {
  const { reaches: columns } = saved;
  const reaches = columns === undefined || isReaches(columns) ? columns : reachesFromSaved(columns);
  return { ...saved, reaches, weakReaches: reaches ? weakOf(reaches) : [] };
}

function reachesFromSaved({ hostIds, ...columns }: SavedReaches): Reaches {
  return new Map(
    hostIds.map((id, index) => {
      const hostId = sharedText(id);
      const nearAddresses = savedList(columns.nearAddresses[index] ?? '');
      const far = columns.farAddresses[index] ?? '';
      const farAddresses = far === '' ? nearAddresses : savedList(far);
      const latencyMs = columns.latencyMs[index] ?? 0;
      const packetLossPercent = columns.packetLossPercent[index] ?? 0;
      return [hostId, { hostId, nearAddresses, farAddresses, latencyMs, packetLossPercent }];
    }),
  );
}

/** Returns the list that reports of other hosts share. */
const savedList = keptByText(
  (json): Reach['nearAddresses'] => {
    const list: unknown = JSON.parse(json);
    return sharedList(Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []);
  },
  SHARED_MAX,
  SHARED_CHARACTERS_MAX,
);

/** Parsed once per report, because all hosts of a cluster report such lists and each evaluation reads them. */
const toParsed = ({ network, ranges }: EventData<'FreeAddressesReported'>['networks'][number]): FreeAddresses => ({
  network,
  text: ranges.join(),
  ranges: parseAddressRanges(ranges),
});
