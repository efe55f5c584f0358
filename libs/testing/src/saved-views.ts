import { join } from 'node:path';
import { inspect } from 'node:util';
import { deserialize } from 'node:v8';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import {
  type HostKey,
  hostKeyOfStream,
  type InventoryEvent,
  isEventOf,
  type MusterEvent,
  parseEvent,
  type RecordedMusterEvent,
} from '@muster/contracts';
import type { EntryShape, MakeEntries } from '@muster/decision';
import { keptEntries, type SavedConsumer, SavedStates, type SaveLimits, viewFold } from '@muster/event-sourcing';
import fc from 'fast-check';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  type SampleEvent,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
} from './cluster-events';

const AT = '2024-01-01T00:00:00.000Z';
const NOT_BY_ITSELF: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 3_600_000 };

/** The host reaches all others. */
function connectivityReported(number: number): SampleEvent {
  const peers = [1, 2, 3, 4].filter((other) => other !== number).map((other) => hostKey(other).split('.')[1]);
  return reportEvent(hostKey(number), 'ConnectivityReported', {
    peers: peers.map((hostId) => ({
      hostId,
      latencyMs: number,
      packetLossPercent: 0,
      nearAddresses: ['192.168.128.10'],
    })),
    vanishedPeers: [],
    collisions: number === 1 ? [{ address: '192.168.128.10', macAddresses: ['a', 'b'] }] : [],
  });
}

const sampleEvents = fc.integer({ min: 1, max: 4 }).chain((number): fc.Arbitrary<SampleEvent> => {
  const key = hostKey(number);
  return fc.constantFrom(
    hostRegistered(key),
    hostRegistered(key, { clusterId: '' }),
    hostEvent(key, 'HostBound', { clusterId: CLUSTER_ID }),
    hostEvent(key, 'HostUnbound', { clusterId: CLUSTER_ID }),
    hostEvent(key, 'HostDeregistered', { at: AT }),
    hostEvent(key, 'HostDeadlinePassed', { deadline: 'retention' }),
    hostEvent(key, 'HostRoleSuggested', { role: 'master' }),
    hostEntered(key, 'known'),
    hostEntered(key, 'installed'),
    inventoryReported(key),
    inventoryReported(key, { hostname: 'same-name' }),
    connectivityReported(number),
    clusterEvent('ClusterSettingsRevised', {
      changes: { machineNetworks: { items: ['192.168.128.0/24', '10.0.0.0/8'] } },
    }),
    clusterEvent('ClusterSettingsRevised', {
      changes: { machineNetworks: { items: ['10.0.0.0/8', '192.168.128.0/24'] } },
    }),
    clusterEvent('ClusterEnteredStatus', { status: 'ready', from: '', transition: 't', at: AT }),
    clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: AT }),
    clusterEvent('ClusterDeregistered', { at: AT }),
    { streamId: `infraEnv-${INFRA_ENV_ID}`, event: parseEvent('infraEnv', 'InfraEnvDeregistered', {}) },
  );
});

const steps = fc.array(
  fc.oneof({ weight: 5, arbitrary: sampleEvents }, fc.constantFrom('save' as const, 'restart' as const)),
  { maxLength: 40, size: 'max' },
);

/**
 * A history of a few hosts of one cluster with moments at which the view is saved, or saved and loaded by a new process. A cluster
 * and an infra-env register once, before their hosts.
 */
const histories = fc
  .tuple(fc.constantFrom(infraEnvRegistered(), infraEnvRegistered({ clusterId: CLUSTER_ID })), steps)
  .map(([infraEnv, following]) => [clusterRegistered(), infraEnv, ...following]);

/** The first event after a start changes something for another host, which only an entry that is not in memory yet shows. */
const CHANGES_AFTER_RESTART = [
  [hostRegistered(hostKey(2)), 'restart', connectivityReported(2)],
  [
    inventoryReported(hostKey(1), { hostname: 'same-name' }),
    ...[2, 3, 4].flatMap((number) => [hostRegistered(hostKey(number)), inventoryReported(hostKey(number))]),
    'restart',
    inventoryReported(hostKey(2), { hostname: 'same-name' }),
  ],
].map((following): [(SampleEvent | string)[]] => [
  [clusterRegistered(), infraEnvRegistered(), hostRegistered(hostKey(1)), ...following],
]);

/** Events after which a host has to report again. */
const BEGINS_GENERATION: readonly string[] = ['HostRegistered', 'HostBound', 'HostUnbound'];
/** Reports of the host belong to its first registration, so some of them are outdated. */
const OUTDATED = hostKey(4);

const withGeneration = ({ type, data }: InventoryEvent, generation: number): MusterEvent =>
  parseEvent('inventory', type, { ...data, generation });

/** Returns the events of a history. Reports belong to the current generation of their host: a view ignores others. */
function eventsOf(history: readonly (SampleEvent | string)[]): readonly RecordedMusterEvent[] {
  const generations = new Map<HostKey, number>();
  const events = history.flatMap((step): SampleEvent[] => {
    if (typeof step === 'string') return [];
    const { streamId, event } = step;
    if (isEventOf('inventory', event)) {
      const generation = generations.get(hostKeyOfStream(streamId)) ?? 0;
      return hostKeyOfStream(streamId) === OUTDATED ? [step] : [{ streamId, event: withGeneration(event, generation) }];
    }
    if (BEGINS_GENERATION.includes(event.type)) {
      const key = hostKeyOfStream(streamId);
      generations.set(key, (generations.get(key) ?? 0) + 1);
    }
    return [step];
  });
  return recorded(events);
}

interface View {
  observe(event: RecordedMusterEvent): unknown;
}

/** Everything in a saved value: the order of members and those that are `undefined` too. Equal arrays may have different bytes. */
const textOf = (value: Uint8Array | undefined): string =>
  inspect(value && deserialize(value), {
    depth: Infinity,
    breakLength: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
  });

/** More infra-envs than the cache for closed entries holds. */
const OTHER_INFRA_ENVS = 300;

/** Checks that an infra-env stays in memory while one of its hosts is needed, and leaves memory with its last host. */
export async function expectInfraEnvKeptWithHosts(
  directory: string,
  shapes: readonly EntryShape[],
  makeView: (make: MakeEntries, position: number) => View & { infraEnv(id: string): unknown },
): Promise<void> {
  const onError = (error: Error): never => {
    throw error;
  };
  const file = join(directory, 'infra-envs.sqlite');
  const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), onError, NOT_BY_ITSELF);
  const consumer = await states.open('sample', [viewFold('sample', 1, shapes)]);
  const read = jest.spyOn(consumer.state, 'get');
  const isInMemory = (): boolean => {
    read.mockClear();
    return view.infraEnv(INFRA_ENV_ID) !== undefined && read.mock.calls.length === 0;
  };
  const view = makeView(keptEntries(consumer), consumer.position('sample'));
  const others = Array.from({ length: OTHER_INFRA_ENVS }, (_, number) => `other-${number}`);
  const key = hostKey(1);
  const steps: SampleEvent[][] = [
    [infraEnvRegistered(), hostRegistered(key, { clusterId: '' }), hostEntered(key, 'discovering')],
    others.map((id) => ({ ...infraEnvRegistered(), streamId: `infraEnv-${id}` })),
    [hostEvent(key, 'HostDeregistered', { at: AT })],
    [hostEvent(key, 'HostDeadlinePassed', { deadline: 'retention' })],
  ];
  const events = recorded(steps.flat());
  const kept: boolean[] = [];
  for (const { length } of steps) {
    for (const event of events.splice(0, length)) {
      view.observe(event);
      consumer.reached('sample', event.position, undefined);
    }
    await states.save();
    for (const id of others) view.infraEnv(id);
    kept.push(isInMemory());
  }
  expect(kept).toEqual([true, true, true, false]);
  await states.close();
}

/**
 * Checks for random histories that a view which is saved, dropped and loaded in between returns the same for each event and saves
 * the same entries in the end as a view that folds all events.
 */
export async function expectSavedAsReplayed(
  directory: string,
  shapes: readonly EntryShape[],
  makeView: (make: MakeEntries, position: number) => View,
): Promise<void> {
  let files = 0;
  const open = async (file: string) => {
    const onError = (error: Error): never => {
      throw error;
    };
    const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), onError, NOT_BY_ITSELF);
    const consumer = await states.open('sample', [viewFold('sample', 1, shapes)]);
    return { states, consumer, view: makeView(keptEntries(consumer), consumer.position('sample')) };
  };
  const fileOf = (what: string): string => join(directory, `${what}-${(files += 1)}.sqlite`);
  const observe = (
    event: RecordedMusterEvent,
    { view, consumer }: { view: View; consumer: SavedConsumer },
  ): unknown => {
    const returned = view.observe(event);
    consumer.reached('sample', event.position, undefined);
    return Array.isArray(returned) ? returned.toSorted() : returned;
  };
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const events = eventsOf(history);
      const [savedFile, replayedFile] = [fileOf('saved'), fileOf('replayed')];
      const replayed = await open(replayedFile);
      let saved = await open(savedFile);
      let next = 0;
      for (const step of history) {
        if (step === 'save') {
          await saved.states.save();
        } else if (step === 'restart') {
          await saved.states.close();
          saved = await open(savedFile);
        } else {
          const event = events[next];
          if (!event) throw new Error('The history has more events than were recorded.');
          next += 1;
          expect(observe(event, saved)).toEqual(observe(event, replayed));
        }
      }
      await Promise.all([saved.states.save(), replayed.states.save()]);
      for (const { name } of shapes) {
        const keys = replayed.consumer.state.find(name, { where: {} }).map(({ key }) => key);
        expect(saved.consumer.state.find(name, { where: {} }).map(({ key }) => key)).toEqual(keys);
        for (const key of keys) {
          const [own, other] = [saved, replayed].map(({ consumer }) => consumer.state.get(name, key));
          expect(textOf(own)).toBe(textOf(other));
        }
      }
      await Promise.all([saved.states.close(), replayed.states.close()]);
    }),
    { examples: CHANGES_AFTER_RESTART },
  );
}
