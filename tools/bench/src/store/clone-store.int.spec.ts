import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { eventToAppend, temporaryDirectory } from '@muster/testing';
import { cloneHistory, readHistory } from './clone-store';

describe('copies of a recorded history', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('have its order and data, and ids of their own that refer to each other', async () => {
    const hostId = randomUUID();
    const store = sqliteEventStore({ file: join(directory.path, 'events.sqlite') });
    await store.append(`host-${hostId}`, -1, [eventToAppend({ n: 0, hostId })]);
    await store.append(`host-${hostId}`, 0, [eventToAppend({ n: 2 })]);
    await store.close();
    const original = await readHistory(directory.path);

    const copies = temporaryDirectory();
    const events = await cloneHistory(original, join(copies.path, 'events.sqlite'), 5);
    const stored = await readHistory(copies.path);
    copies.remove();

    expect(events).toBe(6);
    expect(stored.map(({ data }) => data.n)).toEqual([0, 2, 0, 2, 0, 2]);
    expect(stored.map(({ revision }) => revision)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(6);
    expect(new Set(stored.map(({ streamId }) => streamId)).size).toBe(3);
    for (const { streamId, data } of stored) if (data.hostId) expect(streamId).toBe(`host-${String(data.hostId)}`);
  });
});
