import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { START_OF_STORE } from '@muster/ports';
import { collectPages, temporaryDirectory } from '@muster/testing';
import { countCalls, type CountedCall, START } from './counts.bench';

describe('the counted cost of a call', () => {
  const directory = temporaryDirectory();
  let counted: readonly CountedCall[];
  const of = (what: string) => counted.find((one) => one.what === what)?.counts;

  beforeAll(async () => {
    counted = await countCalls(directory.path, 3);
  }, 120_000);
  afterAll(() => directory.remove());

  it('is no round trip to the store and no event for an unchanged inventory', () => {
    expect(of('inventory, unchanged')).toMatchObject({ events: 0, appends: 0, reads: 0, reactions: 0 });
  });

  it('is no round trip to the store and no event for instructions', () => {
    expect(of('instructions')).toMatchObject({ events: 0, appends: 0, reads: 0, reactions: 0 });
  });

  it('is one append and no read for a cluster and for an infra-env', () => {
    for (const what of ['cluster', 'infra-env']) expect(of(what)).toMatchObject({ appends: 1, reads: 0 });
  });

  it('is no read of all streams and no subscription: events arrive over the one of the start', () => {
    const calls = counted.filter(({ what }) => what !== START);
    expect(calls.map(({ counts: { scanned, subscriptions } }) => scanned + subscriptions)).toEqual(calls.map(() => 0));
  });

  it('of a start is one read of all events for all consumers, and one subscription', async () => {
    const store = sqliteEventStore({ file: join(directory.path, 'events.sqlite') });
    const stored = await collectPages(store.readAll(START_OF_STORE));
    await store.close();
    expect(stored.length).toBeGreaterThan(50);
    expect(of(START)).toMatchObject({ events: 0, scanned: stored.length, subscriptions: 1 });
  });

  it('is few JSON texts for a cluster and for an infra-env', () => {
    expect(of('cluster')?.stringifications).toBeLessThanOrEqual(14);
    expect(of('infra-env')?.stringifications).toBeLessThanOrEqual(24);
    // The data of an event is written once, for the store and for the bus.
    expect(of('cluster')?.characters).toBeLessThanOrEqual(12_500);
  });

  it.each(['registration', 'inventory, changed'])('is no read for a %s', (what) => {
    expect(of(what)?.reads).toBe(0);
  });

  it('of a registration is one append, and one more for the first host of a cluster', () => {
    expect(of('registration')?.appends).toBeLessThanOrEqual(4 / 3);
  });

  it('of the first inventory is no read and no outcome for a suggested role', () => {
    // Each host: its machine and disk, its inventory, outcomes, status and role. The cluster: outcomes and status texts.
    expect(of('inventory, first')?.reads).toBe(0);
    expect(of('inventory, first')?.appends).toBeLessThanOrEqual(7);
  });

  it('of a changed inventory is one append when its outcomes stay the same', () => {
    expect(of('inventory, changed')?.appends).toBe(1);
  });

  it('of an inventory with other outcomes is few appends and no read', () => {
    // The inventory, its outcomes, the status and the suggested role of the host; outcomes, status and its text of the cluster.
    expect(of('inventory, insufficient')?.reads).toBe(0);
    expect(of('inventory, insufficient')?.appends).toBeLessThanOrEqual(7);
  });

  it('is no read of the saved states for a new host, and none for a known host', () => {
    // Each table reads its first absent key. Three hosts register.
    expect(of('registration')?.savedReads).toBeLessThanOrEqual(2);
    expect(of('inventory, first')?.savedReads).toBeLessThanOrEqual(3);
    expect(of('inventory, changed')?.savedReads).toBe(0);
    expect(of('instructions')?.savedReads).toBe(0);
  });

  it.each([
    ['registration', 1],
    ['inventory, changed', 2],
    ['inventory, unchanged', 1],
  ])('of a %s is %d parse(s): of what the host sent, and not of the events that follow', (what, parses) => {
    expect(of(what)?.parses).toBe(parses);
  });

  // Beacons of the relay, which depend on time, are messages too.
  it.each([
    { what: 'cluster', events: 2, kib: 2.6, messages: 7, reactions: 3 },
    { what: 'infra-env', events: 1, kib: 0.8, messages: 6, reactions: 0 },
    { what: 'registration', events: 7 / 3, kib: 1.7, messages: 9, reactions: 6 },
    { what: 'inventory, first', events: 8, kib: 11, messages: 24, reactions: 16 },
    { what: 'inventory, changed', events: 1, kib: 4.4, messages: 10, reactions: 5 },
    { what: 'inventory, unchanged', events: 0, kib: 0, messages: 3, reactions: 0 },
    { what: 'instructions', events: 0, kib: 0, messages: 3, reactions: 0 },
  ])('of a $what is at most $events events of $kib KiB, $messages messages and $reactions reactions', (most) => {
    const found = of(most.what);
    expect(found?.events).toBeLessThanOrEqual(most.events);
    expect(found?.eventBytes).toBeLessThanOrEqual(most.kib * 1_024);
    expect(found?.messages).toBeLessThanOrEqual(most.messages);
    expect(found?.reactions).toBeLessThanOrEqual(most.reactions);
  });

  it('of an unchanged inventory is at most three JSON texts', () => {
    expect(of('inventory, unchanged')?.stringifications).toBeLessThanOrEqual(3);
  });

  it('of instructions is a short JSON text for each step, without the hosts of the connectivity check', () => {
    expect(of('instructions')?.stringifications).toBeLessThanOrEqual(7);
    expect(of('instructions')?.characters).toBeLessThanOrEqual(1_100);
  });

  it.each([
    ['instructions', 82],
    ['inventory, unchanged', 100],
  ])('of %s is at most %d promises until the response', (what, promises) => {
    expect(of(what)?.promises).toBeLessThanOrEqual(promises);
  });
});
