import type { InventoryEvent } from '@muster/contracts';
import { accepted, type Decider } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { toCanonicalJson } from '../shapes/canonical-json';
import { CLOCK_STEP_TYPE } from './time.reports';
import { reachMark } from './reach-classes';
import { DISK_SPEED_STEP_TYPE } from './preparation.reports';

/** A clock that moved less than this says nothing new. */
export const CLOCK_DRIFT_SECONDS = 30;

/** What one host reported last, by what it was about. */
export interface ReportedState {
  /** Registration counts it up; reports of an earlier epoch are void. */
  readonly epoch: number;
  /** Slot → what tells a new report from a repeated one. */
  readonly slots: ReadonlyMap<string, string>;
  /** Id of another host → what tells a new way of reaching it from the one before. */
  readonly peers: ReadonlyMap<string, string>;
}

const NO_PEERS: ReportedState['peers'] = new Map();

export type InventoryCommand =
  | { readonly type: 'RecordReport'; readonly event: InventoryEvent }
  | { readonly type: 'ClearReport'; readonly stepType: string; readonly epoch: number };

export const inventoryDecider: Decider<ReportedState, InventoryCommand, InventoryEvent, ProblemCode> = {
  initialState: () => ({ epoch: 0, slots: new Map(), peers: NO_PEERS }),
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'RecordReport':
        return isNews(command.event, state) ? accepted(withChangesOnly(command.event, state)) : accepted();
      case 'ClearReport': {
        const { stepType, epoch } = command;
        const isThere = state.epoch === epoch && [...state.slots.keys()].some((slot) => belongsTo(slot, stepType));
        return isThere ? accepted<InventoryEvent>({ type: 'ReportCleared', data: { stepType, epoch } }) : accepted();
      }
      default:
        return command satisfies never;
    }
  },
};

/** True when the report says something that is not known yet. Late reports of an earlier epoch are no news. */
export function isNews(event: InventoryEvent, state: ReportedState): boolean {
  if (event.data.epoch !== state.epoch) return event.data.epoch > state.epoch;
  const last = state.slots.get(slotOf(event));
  if (last === undefined) return true;
  return event.type === 'ClockOffsetMeasured'
    ? Math.abs(event.data.offsetSeconds - Number(last)) > CLOCK_DRIFT_SECONDS
    : last !== markOf(event);
}

function evolve(state: ReportedState, event: InventoryEvent): ReportedState {
  const { epoch } = event.data;
  if (epoch < state.epoch) return state;
  const slots = new Map(epoch > state.epoch ? [] : state.slots);
  if (event.type === 'ReportCleared') {
    for (const slot of slots.keys()) if (belongsTo(slot, event.data.stepType)) slots.delete(slot);
  } else slots.set(slotOf(event), markOf(event));
  return { epoch, slots, peers: peersAfter(state, event) };
}

/** Of the way to other hosts only what differs from the last report is stored. */
function withChangesOnly(event: InventoryEvent, state: ReportedState): InventoryEvent {
  if (event.type !== 'ConnectivityReported') return event;
  const known = event.data.epoch === state.epoch ? state.peers : NO_PEERS;
  const reported = new Set(event.data.peers.map(({ hostId }) => hostId));
  return {
    ...event,
    data: {
      ...event.data,
      peers: event.data.peers.filter((peer) => known.get(peer.hostId) !== reachMark(peer)),
      vanishedPeers: [...known.keys()].filter((hostId) => !reported.has(hostId)),
    },
  };
}

function peersAfter(state: ReportedState, event: InventoryEvent): ReportedState['peers'] {
  const { epoch } = event.data;
  const isOver = event.type === 'ReportCleared' && event.data.stepType === 'connectivity-check';
  const known = epoch > state.epoch || isOver ? NO_PEERS : state.peers;
  if (event.type !== 'ConnectivityReported') return known;
  const peers = new Map(known);
  for (const peer of event.data.peers) peers.set(peer.hostId, reachMark(peer));
  for (const hostId of event.data.vanishedPeers) peers.delete(hostId);
  return peers;
}

/** A slot is named by its step type, with the tested path after a colon for disks. */
const belongsTo = (slot: string, stepType: string): boolean => slot === stepType || slot.startsWith(`${stepType}:`);

/** What a report replaces. */
function slotOf(event: InventoryEvent): string {
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
    default:
      return event satisfies never;
  }
}

/** Equal for two reports that say the same. */
function markOf(event: InventoryEvent): string {
  switch (event.type) {
    case 'InventoryReported':
    case 'ConnectivityReported':
      return event.data.fingerprint;
    case 'FreeAddressesReported':
    case 'TangConnectivityReported':
    case 'ApiVipConnectivityReported':
      return event.data.body?.digest ?? '';
    case 'ClockOffsetMeasured':
      return String(event.data.offsetSeconds);
    case 'DiskSpeedMeasured':
    case 'ImageAvailabilityReported':
    case 'NtpSourcesReported':
    case 'DomainsResolved':
    case 'VipsVerified':
    case 'ReportCleared':
      return toCanonicalJson(event.data);
    default:
      return event satisfies never;
  }
}
