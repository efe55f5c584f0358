import type { HostDocument } from '@muster/assisted-api';
import type { EventData, HostEvent, InventoryEvent } from '@muster/contracts';
import { hostEpochAfter } from '@muster/domain';
import { HOST_VIEW } from './host-view';
import { registeredHost } from './host-registered';
import { changedOutcomes } from './outcome-view';
import { REPORT_VIEW } from './report-view';
import { patched, type Occurrence, type Patch } from './view-rows';

/** Events that change the document of a host: its own, its reports and its validation outcomes. */
export type HostDocumentEvent =
  | HostEvent
  | InventoryEvent
  | { readonly type: 'HostOutcomesChanged'; readonly data: EventData<'HostOutcomesChanged'> };

type Row<Data> = (host: HostDocument, data: Data, occurrence: Occurrence) => Patch<HostDocument>;

/** Facts that an agent sends by itself are signs of life. */
const FROM_AN_AGENT = 'agent:';

/** The document after the fact; undefined once the host is gone; the same object when the fact came too late to count. */
export function evolveHostDocument(
  before: HostDocument | undefined,
  event: HostDocumentEvent,
  occurrence: Occurrence,
): HostDocument | undefined {
  if (event.type === 'HostRegistered') return registeredHost(event.data, occurrence);
  if (!before || event.type === 'HostDeregistered') return undefined;
  if (event.type in HOST_VIEW) {
    const row = HOST_VIEW[event.type as keyof typeof HOST_VIEW] as Row<unknown>;
    const seen = event.type !== 'HostFellSilent' && occurrence.actor.startsWith(FROM_AN_AGENT);
    const patch = row(before, event.data, occurrence);
    const after = patched({ ...before }, seen ? { checked_in_at: occurrence.at, ...patch } : patch, occurrence);
    const epoch = hostEpochAfter(before._epoch, event as HostEvent);
    return epoch === before._epoch ? after : { ...after, _epoch: epoch };
  }
  const { epoch } = event.data as { readonly epoch: number };
  if (epoch < before._epoch) return before;
  const patch =
    event.type === 'HostOutcomesChanged'
      ? { _outcomes: changedOutcomes(before._outcomes, event.data) }
      : (REPORT_VIEW[event.type as keyof typeof REPORT_VIEW] as Row<unknown>)(before, event.data, occurrence);
  return patched({ ...before, _epoch: epoch }, patch, occurrence);
}
