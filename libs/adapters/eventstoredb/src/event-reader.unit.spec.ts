import type { RecordedEvent as DbEvent } from '@eventstore/db-client';
import { eventToAppend } from '@muster/testing';
import { fromPosition, isMusterEvent, toEventData, toPosition, toRecordedEvent } from './event-reader';

describe('events from EventStoreDB', () => {
  const appended = eventToAppend({ n: 1 });
  const recorded = {
    ...toEventData(appended),
    isJson: true,
    streamId: 'host-1',
    revision: 3n,
    created: new Date(Date.UTC(2024, 0, 2)),
    position: { commit: 4_711n, prepare: 4_711n },
  } as unknown as DbEvent;

  it('are converted with revision, position and time', () => {
    expect(toRecordedEvent(recorded)).toEqual({
      ...appended,
      streamId: 'host-1',
      revision: 3,
      position: 4_711,
      recordedAt: '2024-01-02T00:00:00.000Z',
    });
    expect(fromPosition(4_711)).toEqual({ commit: 4_711n, prepare: 4_711n });
  });

  it.each([
    ['no metadata and no data', undefined, null],
    ['metadata that is not JSON, and a text as data', Uint8Array.of(1), 'created'],
  ])('of other programs are read as empty when they have %s', (_, metadata, data) => {
    const foreign = toRecordedEvent({ ...recorded, type: 'OrderPlaced', metadata, data } as unknown as DbEvent);
    expect(foreign).toMatchObject({ type: 'OrderPlaced', revision: 3 });
    expect([foreign.metadata, foreign.data]).toEqual([{}, {}]);
  });

  it.each([
    ['a system stream', { streamId: '$stats-127.0.0.1:2113' }],
    ['a projection', { streamId: '$ce-host' }],
    ['a system event', { type: '$metadata' }],
    ['data that is not JSON', { isJson: false }],
  ])('are ignored when they are %s', (_, difference) => {
    expect(isMusterEvent(recorded)).toBe(true);
    expect(isMusterEvent({ ...recorded, ...difference } as DbEvent)).toBe(false);
  });

  it.each([undefined, { commit: 18_446_744_073_709_551_615n, prepare: 0n }, { commit: -1n, prepare: 0n }])(
    'are refused when their position is %p',
    (position) => {
      expect(() => toPosition(position)).toThrow(/22\.6 or later/);
    },
  );
});
