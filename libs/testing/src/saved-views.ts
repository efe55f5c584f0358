import { join } from 'node:path';
import { inspect } from 'node:util';
import { deserialize } from 'node:v8';
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
import { keptEntries, type SavedConsumer, viewFold } from '@muster/event-sourcing';
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
import { expectInterruptedAsReplayed, interrupted, type Interruption, openSavedStates } from './interrupted-consumer';

export const AT = '2024-01-01T00:00:00.000Z';

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
    collisions:
      number === 1 ? [{ address: '192.168.128.10', macAddresses: ['02:00:00:00:00:0a', '02:00:00:00:00:0b'] }] : [],
  });
}

export const sampleEventsOfHost = (number: number): SampleEvent[] => {
  const key = hostKey(number);
  return [
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
  ];
};
export const OTHER_SAMPLE_EVENTS: readonly SampleEvent[] = [
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
];

const sampleEvents = fc
  .integer({ min: 1, max: 4 })
  .chain((number): fc.Arbitrary<SampleEvent> => fc.constantFrom(...sampleEventsOfHost(number), ...OTHER_SAMPLE_EVENTS));

/** Histories of a few hosts of one cluster. The cluster and an infra-env register once, before their hosts. */
const historiesOf = (events: fc.Arbitrary<SampleEvent>) =>
  fc
    .tuple(fc.constantFrom(infraEnvRegistered(), infraEnvRegistered({ clusterId: CLUSTER_ID })), interrupted(events))
    .map(([infraEnv, following]) => [clusterRegistered(), infraEnv, ...following]);

/** The first event after a start changes something for another host, which only an entry that is not in memory yet shows. */
const CHANGES_AFTER_RESTART = [
  [hostRegistered(hostKey(2)), 'restart' as const, connectivityReported(2)],
  [
    inventoryReported(hostKey(1), { hostname: 'same-name' }),
    ...[2, 3, 4].flatMap((number) => [hostRegistered(hostKey(number)), inventoryReported(hostKey(number))]),
    'restart' as const,
    inventoryReported(hostKey(2), { hostname: 'same-name' }),
  ],
].map((following): [(SampleEvent | Interruption)[]] => [
  [clusterRegistered(), infraEnvRegistered(), hostRegistered(hostKey(1)), ...following],
]);

/** Events after which a host has to report again. */
export const BEGINS_GENERATION: readonly string[] = ['HostRegistered', 'HostBound', 'HostUnbound'];
/** Reports of the host belong to its first registration, so some of them are outdated. */
const OUTDATED = hostKey(4);

const withGeneration = ({ type, data }: InventoryEvent, generation: number): MusterEvent =>
  parseEvent('inventory', type, { ...data, generation });

/** Returns the events as stored. Reports belong to the current generation of their host: a view ignores others. */
export function storedSample(given: readonly SampleEvent[]): readonly RecordedMusterEvent[] {
  const generations = new Map<HostKey, number>();
  const events = given.map((step): SampleEvent => {
    const { streamId, event } = step;
    if (isEventOf('inventory', event)) {
      const generation = generations.get(hostKeyOfStream(streamId)) ?? 0;
      return hostKeyOfStream(streamId) === OUTDATED ? step : { streamId, event: withGeneration(event, generation) };
    }
    if (BEGINS_GENERATION.includes(event.type)) {
      const key = hostKeyOfStream(streamId);
      generations.set(key, (generations.get(key) ?? 0) + 1);
    }
    return step;
  });
  return recorded(events);
}

export interface View {
  observe(event: RecordedMusterEvent): unknown;
}

/** Everything in a saved value: the order of members and those that are `undefined` too. Equal arrays may have different bytes. */
export const textOf = (value: Uint8Array): string =>
  inspect(deserialize(value), {
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
  const file = join(directory, 'infra-envs.sqlite');
  const states = openSavedStates(file);
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
 * Checks for random histories that an interrupted view returns the same for each event, and saves the same entries, as one that folds
 * all events in one process. `others`: further events of the histories.
 */
export async function expectSavedAsReplayed(
  directory: string,
  shapes: readonly EntryShape[],
  makeView: (make: MakeEntries, position: number, consumer: SavedConsumer) => View,
  others: readonly SampleEvent[] = [],
): Promise<void> {
  const events = others.length > 0 ? fc.oneof(sampleEvents, fc.constantFrom(...others)) : sampleEvents;
  await expectInterruptedAsReplayed({
    directory,
    name: 'sample',
    folds: [viewFold('sample', 1, shapes)],
    histories: historiesOf(events),
    examples: CHANGES_AFTER_RESTART,
    eventsOf: storedSample,
    start: async (states, folds) => {
      const consumer = await states.open('sample', folds);
      const view = makeView(keptEntries(consumer), consumer.position('sample'), consumer);
      return {
        position: () => consumer.position('sample'),
        handle: (event) => {
          const returned = view.observe(event);
          consumer.reached('sample', event.position, undefined);
          return Array.isArray(returned) ? returned.toSorted() : returned;
        },
      };
    },
    // Whether a host or infra-env is needed may change with its cluster. It is then loaded when something reads it.
    isDetermined: (table, field) => table === 'clusters' || field !== 'open',
    textOf,
  });
}
