import type { EventData, InventoryEvent } from '@muster/contracts';
import isEqual from 'fast-deep-equal';

/** A report of these types replaces the last one. */
const REPLACED_TYPES: ReadonlySet<InventoryEvent['type']> = new Set([
  'InventoryReported',
  'NtpSourcesReported',
  'ConnectivityReported',
  'DomainsResolved',
  'FreeAddressesReported',
  'TangConnectivityReported',
  'ApiVipConnectivityReported',
  'ClockOffsetMeasured',
]);

/**
 * Returns for each event of one stream what has to be kept: its data, smaller data, or undefined for nothing. The first `count` events
 * may become smaller. The last reports of each generation stay, and those that the event log, a metric or a timeline shows.
 */
export function compactReports(
  events: readonly InventoryEvent[],
  count: number,
): readonly (InventoryEvent['data'] | undefined)[] {
  const kept = events.map(({ data }): InventoryEvent['data'] | undefined => data);
  for (let start = 0; start < events.length;) {
    const end = endOfPeriod(events, start);
    for (const type of REPLACED_TYPES) {
      const indexes = range(start, end).filter((index) => events[index]?.type === type);
      // The last report of the period is the one that counts.
      for (const index of removableOf(events, indexes)) if (index < count) kept[index] = undefined;
    }
    /** Hosts that a later report of the period contains. Undefined before the last report. */
    let replaced: Set<string> | undefined;
    for (let index = end - 1; index >= start; index -= 1) {
      const event = events[index];
      if (event?.type !== 'ConnectivityReported') continue;
      if (replaced && index < count) kept[index] = compactPeers(event.data, replaced);
      replaced ??= new Set();
      for (const { hostId } of event.data.peers) replaced.add(hostId);
      for (const hostId of event.data.vanishedPeers) replaced.add(hostId);
    }
    start = end;
  }
  return kept;
}

const range = (start: number, end: number): readonly number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);

/** Reports are compared within one generation, up to a report that was discarded or failed. */
function endOfPeriod(events: readonly InventoryEvent[], start: number): number {
  const generation = events[start]?.data.generation;
  for (let index = start + 1; index < events.length; index += 1) {
    const event = events[index];
    if (event?.data.generation !== generation || event?.type === 'ReportCleared' || event?.type === 'StepFailed')
      return index;
  }
  return events.length;
}

function removableOf(events: readonly InventoryEvent[], indexes: readonly number[]): readonly number[] {
  const lastDownload = indexes.findLast((index) => isDownload(events[index]));
  const replaced = indexes.slice(0, -1).filter((index) => index !== lastDownload);
  const [first] = indexes;
  if (first === undefined || events[first]?.type !== 'InventoryReported')
    return replaced.filter((index) => events[index]?.type !== 'ConnectivityReported');
  // The first inventory is in the timeline. Names, sizes and the disks to format are in the event log and in metrics from then on.
  let shown = shownOf(events[first]);
  return replaced.slice(1).filter((index) => {
    const own = shownOf(events[index]);
    const isRemovable = isEqual(own, shown);
    shown = own;
    return isRemovable;
  });
}

/** A failed download of the worker Ignition config leaves the facts of the last downloaded one valid. */
const isDownload = (event: InventoryEvent | undefined): boolean =>
  event?.type === 'ApiVipConnectivityReported' && event.data.isSuccess;

function shownOf(event: InventoryEvent | undefined): object | undefined {
  if (event?.type !== 'InventoryReported' || !event.data.hardware) return undefined;
  const { hostname, isVirtual, cpuCount, physicalMemoryBytes, disks, nics } = event.data.hardware;
  const { physicalNicCount, hasVendor, manufacturer, productName } = event.data.hardware;
  return {
    ...{ hostname, isVirtual, cpuCount, physicalMemoryBytes, physicalNicCount, hasVendor, manufacturer, productName },
    disks: disks.map(({ id, name, driveType, sizeBytes, bootable, removable, isInstallationMedia }) => [
      id,
      name,
      driveType,
      sizeBytes,
      bootable,
      removable,
      isInstallationMedia,
    ]),
    nics: nics.map(({ speedMbps }) => speedMbps),
  };
}

/** Removes the connections to hosts that a later report contains. */
function compactPeers(
  data: EventData<'ConnectivityReported'>,
  replaced: ReadonlySet<string>,
): EventData<'ConnectivityReported'> | undefined {
  const peers = data.peers.filter(({ hostId }) => !replaced.has(hostId));
  const vanishedPeers = data.vanishedPeers.filter((hostId) => !replaced.has(hostId));
  if (peers.length + vanishedPeers.length === 0) return undefined;
  const isWhole = peers.length === data.peers.length && vanishedPeers.length === data.vanishedPeers.length;
  // The document belongs to the last report only.
  return isWhole && !data.body ? data : { ...data, peers, vanishedPeers, body: undefined };
}
