import { type InventoryEvent, REPORTED_RESULTS_MAX } from '@muster/contracts';
import { accepted, type Decider } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { keptByText } from '@muster/schema';
import { fittingCount, toCanonicalJson } from './report';
import { reachFingerprint } from './reports/connectivity.report';
import { DISK_SPEED_STEP_TYPE } from './reports/preparation.reports';
import { CLOCK_STEP_TYPE, hasClockMoved } from './reports/time.reports';

/** The last reports of one host. */
export interface ReportedState {
  /** Incremented by each registration. Reports of an earlier generation are ignored. */
  readonly generation: number;
  /** Report kind → fingerprint of the last report. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** Id of another host → fingerprint of the connection to it. */
  readonly peers: ReadonlyMap<string, string>;
}

const NO_PEERS: ReportedState['peers'] = new Map();

export type InventoryCommand =
  | { readonly type: 'RecordReport'; readonly event: InventoryEvent }
  | { readonly type: 'ClearReport'; readonly stepType: string; readonly generation: number };

export const inventoryDecider: Decider<ReportedState, InventoryCommand, InventoryEvent, ProblemCode> = {
  initialState: () => ({ generation: 0, fingerprints: new Map(), peers: NO_PEERS }),
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'RecordReport':
        return hasChanged(command.event, state) ? accepted(withChangesOnly(command.event, state)) : accepted();
      case 'ClearReport': {
        const { stepType, generation } = command;
        // A failure of the step, for example on another disk, leaves its earlier results in force.
        const isThere =
          state.generation === generation &&
          [...state.fingerprints.keys()].some((kind) => belongsTo(kind, stepType) || kind === failureOf(stepType));
        return isThere
          ? accepted<InventoryEvent>({ type: 'ReportCleared', data: { stepType, generation } })
          : accepted();
      }
      default:
        return command satisfies never;
    }
  },
};

/** Returns whether the report differs from the last one of its kind. False for a report of an earlier generation. */
function hasChanged(event: InventoryEvent, state: ReportedState): boolean {
  if (event.data.generation !== state.generation) return event.data.generation > state.generation;
  const last = state.fingerprints.get(reportKindOf(event));
  if (last === undefined) return true;
  return event.type === 'ClockOffsetMeasured'
    ? hasClockMoved(Number(last), event.data.offsetSeconds)
    : last !== fingerprintOf(event);
}

function evolve(state: ReportedState, event: InventoryEvent): ReportedState {
  const { generation } = event.data;
  if (generation < state.generation) return state;
  const fingerprints = new Map(generation > state.generation ? [] : state.fingerprints);
  if (event.type === 'ReportCleared') {
    for (const kind of fingerprints.keys()) if (belongsTo(kind, event.data.stepType)) fingerprints.delete(kind);
    fingerprints.delete(failureOf(event.data.stepType));
  } else {
    fingerprints.set(reportKindOf(event), fingerprintOf(event));
    // The next report of the step is news although it may equal the last one, and ends the failure.
    if (event.type !== 'StepFailed') fingerprints.delete(failureOf(stepTypeOf(event)));
    else
      for (const kind of [...fingerprints.keys()]) if (belongsTo(kind, event.data.stepType)) fingerprints.delete(kind);
    if (event.type === 'DiskSpeedMeasured') {
      const disks = [...fingerprints.keys()].filter((kind) => belongsTo(kind, DISK_SPEED_STEP_TYPE));
      for (const kind of disks.slice(0, -REPORTED_RESULTS_MAX)) fingerprints.delete(kind);
    }
  }
  return { generation, fingerprints, peers: peersAfter(state, event) };
}

/**
 * Keeps only the hosts whose connection has changed in the event of a connectivity report. When those exceed the limit
 * of one append, keeps the first ones and sets no fingerprint. Recording the same report again stores the next ones.
 */
function withChangesOnly(event: InventoryEvent, state: ReportedState): InventoryEvent {
  if (event.type !== 'ConnectivityReported') return event;
  const known = event.data.generation === state.generation ? state.peers : NO_PEERS;
  const reported = new Set(event.data.peers.map(({ hostId }) => hostId));
  const changed = event.data.peers.filter((peer) => known.get(peer.hostId) !== reachFingerprint(peer));
  const vanished = [...known.keys()].filter((hostId) => !reported.has(hostId));
  const count = fittingCount([...changed, ...vanished], PEERS_BYTES_MAX);
  const isPart = count < changed.length + vanished.length;
  return {
    ...event,
    data: {
      ...event.data,
      peers: changed.slice(0, count),
      vanishedPeers: vanished.slice(0, Math.max(0, count - changed.length)),
      fingerprint: isPart ? '' : event.data.fingerprint,
    },
  };
}

/**
 * Maximum size of the peers of one event as JSON, in bytes. An append accepts 256 KiB. The rest is for the other
 * members.
 */
const PEERS_BYTES_MAX = 128 * 1024;

/** Returns whether a connectivity report was stored in part and has to be recorded again for the rest. */
export const isPartial = ({ fingerprints }: ReportedState): boolean => fingerprints.get('connectivity-check') === '';

/** More texts than the hosts of a large cluster report. */
const SHARED_TEXTS_MAX = 20_000;

/** Longer texts are not shared. A fingerprint with two addresses of each family has about 150 characters. */
const SHARED_CHARACTERS_MAX = 256;

/** Each host of a cluster reports all others, mostly with the same text. */
const shared = keptByText((text) => text, SHARED_TEXTS_MAX, SHARED_CHARACTERS_MAX);

function peersAfter(state: ReportedState, event: InventoryEvent): ReportedState['peers'] {
  const { generation } = event.data;
  const isOver = event.type === 'ReportCleared' && event.data.stepType === 'connectivity-check';
  const known = generation > state.generation || isOver ? NO_PEERS : state.peers;
  if (event.type !== 'ConnectivityReported') return known;
  const peers = new Map(known);
  for (const peer of event.data.peers) peers.set(shared(peer.hostId), shared(reachFingerprint(peer)));
  for (const hostId of event.data.vanishedPeers) peers.delete(hostId);
  return peers;
}

/** A report kind is a step type. For disks, a colon and the tested path follow. */
const belongsTo = (kind: string, stepType: string): boolean => kind === stepType || kind.startsWith(`${stepType}:`);

/** Returns the kind of the report. A report replaces the last one of its kind. */
function reportKindOf(event: InventoryEvent): string {
  switch (event.type) {
    case 'InventoryReported':
      return 'inventory';
    case 'ConnectivityReported':
      return 'connectivity-check';
    case 'NtpSourcesReported':
      return 'ntp-synchronizer';
    case 'ClockOffsetMeasured':
      return CLOCK_STEP_TYPE;
    case 'DiskSpeedMeasured':
      return `${DISK_SPEED_STEP_TYPE}:${event.data.path}`;
    case 'ImageAvailabilityReported':
      return 'container-image-availability';
    case 'DomainsResolved':
      return 'domain-resolution';
    case 'FreeAddressesReported':
      return 'free-network-addresses';
    case 'VipsVerified':
      return 'verify-vips';
    case 'TangConnectivityReported':
      return 'tang-connectivity-check';
    case 'ApiVipConnectivityReported':
      return 'api-vip-connectivity-check';
    case 'ReportCleared':
      return event.data.stepType;
    case 'StepFailed':
      return failureOf(event.data.stepType);
    default:
      return event satisfies never;
  }
}

const failureOf = (stepType: string): string => `failure/${stepType}`;

/** The type of the step that a report belongs to. */
const stepTypeOf = (event: InventoryEvent): string => reportKindOf(event).split(':')[0] ?? '';

/** Returns the same value for reports with the same content. */
function fingerprintOf(event: InventoryEvent): string {
  switch (event.type) {
    case 'InventoryReported':
    case 'ConnectivityReported':
      return event.data.fingerprint;
    case 'FreeAddressesReported':
      return event.data.body?.digest ?? '';
    case 'TangConnectivityReported':
      return event.data.fingerprint || (event.data.body?.digest ?? '');
    case 'ApiVipConnectivityReported':
      // The stored events of older versions lack the image, which is part of the body.
      return [event.data.body?.digest ?? '', event.data.osImageUrl].filter(Boolean).join(' ');
    case 'ClockOffsetMeasured':
      return String(event.data.offsetSeconds);
    case 'DiskSpeedMeasured':
    case 'ImageAvailabilityReported':
    case 'NtpSourcesReported':
    case 'DomainsResolved':
    case 'VipsVerified':
    case 'ReportCleared':
    case 'StepFailed':
      return toCanonicalJson(event.data);
    default:
      return event satisfies never;
  }
}
