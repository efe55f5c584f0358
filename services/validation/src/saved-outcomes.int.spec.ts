import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import {
  type EventData,
  isEventOf,
  MUSTER_CODEC,
  parseEvent,
  parseStreamId,
  type RecordedMusterEvent,
  streamIdOf,
} from '@muster/contracts';
import { type MakeEntries, entriesInMemory } from '@muster/decision';
import {
  clusterSubject,
  FACTS_SHAPES,
  FactsView,
  hostSubject,
  type OutcomeCommand,
  subjectOfStreamId,
} from '@muster/evaluation';
import { type SavedConsumer, SavedStates, typedEventStore, viewFold } from '@muster/event-sourcing';
import type { MusterEventStore } from '@muster/nest-kit';
import {
  CLUSTER_ID,
  collectPages,
  hostKey,
  manualClock,
  type SampleEvent,
  seededIds,
  temporaryDirectory,
} from '@muster/testing';
import { expectSavedAsReplayed, expectSavedShape, textOf } from '@muster/testing/platform';
import {
  DEFAULT_FLAP_POLICY,
  type HostConditions,
  initialHostConditions,
  type Outcome,
} from '@muster/validation-rules';
import fc from 'fast-check';
import { OUTCOMES, OutcomeStore, VIEW_VERSION } from './outcome-store';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

const AT = '2024-01-01T00:00:00.000Z';
const RULES = ['connected', 'ntp-synced', 'has-min-cpu-cores'];
const KEYS = [1, 2].map(hostKey);

const outcome = (id: string, status: string): Outcome =>
  ({ id, status, reason: status === 'pending' ? 'waiting' : undefined, parameters: [status, '1'] }) as Outcome;

const conditionsWith = (changes: Partial<HostConditions>): HostConditions => ({
  ...initialHostConditions(true),
  ...changes,
});

const hostOutcomes = (key: string, data: Partial<EventData<'HostOutcomesChanged'>>): SampleEvent => ({
  streamId: streamIdOf('validation', key),
  event: parseEvent('validation', 'HostOutcomesChanged', {
    hostKey: key,
    clusterId: CLUSTER_ID,
    generation: 1,
    at: AT,
    ...data,
  }),
});

const clusterOutcomes = (data: object): SampleEvent => ({
  streamId: streamIdOf('validation', CLUSTER_ID),
  event: parseEvent('validation', 'ClusterOutcomesChanged', { clusterId: CLUSTER_ID, at: AT, ...data }),
});

const [first, second] = KEYS.map((key) => key.split('.')[1] ?? '');
const OUTCOME_EVENTS: readonly SampleEvent[] = [
  ...KEYS.flatMap((key) => [
    ...['success', 'failure', 'pending'].flatMap((status) =>
      RULES.map((id) => hostOutcomes(key, { changed: [outcome(id, status)] })),
    ),
    hostOutcomes(key, {
      changed: [
        { ...outcome('ntp-synced', 'success'), flapping: { since: AT, flips: 6, windowSeconds: 60, quietSeconds: 9 } },
      ],
    }),
    hostOutcomes(key, { conditions: conditionsWith({ connected: true, inventory: 'usable' }) }),
    hostOutcomes(key, { changed: [outcome('connected', 'failure')], generation: 2, reset: true }),
    hostOutcomes(key, { clusterId: '', reset: true }),
  ]),
  clusterOutcomes({ changed: [outcome('api-vips-defined', 'failure')] }),
  clusterOutcomes({ conditions: { pendingInputsGiven: true, vipsDefined: false, requiredPassed: false } }),
  clusterOutcomes({ connectivityGroups: { groups: [{ network: 'IPv4', joinedHostIds: [first, second] }] } }),
  clusterOutcomes({ connectivityGroups: { groups: [{ network: 'IPv4', leftHostIds: [second] }] } }),
];

const newEventStore = (): MusterEventStore => typedEventStore(inMemoryEventStore(), MUSTER_CODEC);

/** The view and the outcomes of the service, as its process folds events into them. */
function foldOf(saved: SavedConsumer, make: MakeEntries, eventStore = newEventStore()) {
  const view = new FactsView(make);
  const outcomes = new OutcomeStore(eventStore, manualClock(), seededIds(), DEFAULT_FLAP_POLICY, saved, view);
  const observe = (event: RecordedMusterEvent) => {
    const { id } = parseStreamId(event.streamId);
    const subject = subjectOfStreamId(id);
    if (!isEventOf('validation', event)) {
      outcomes.reconsider(subject);
      return view.observe(event);
    }
    const isNew = outcomes.observe(subject, event);
    const groups = event.type === 'ClusterOutcomesChanged' ? event.data.connectivityGroups : undefined;
    return [String(isNew), ...(groups ? view.observeGroups(id, groups) : [])];
  };
  return { outcomes, observe };
}

describe('the recorded outcomes', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('are the same whether they were saved and loaded or folded from all events', async () => {
    const shapes = [...FACTS_SHAPES, OUTCOMES];
    await expectSavedAsReplayed(
      directory.path,
      shapes,
      (make, _position, saved) => foldOf(saved, make),
      OUTCOME_EVENTS,
    );
  });

  it('are saved, with the facts, in the shape of their version', async () => {
    const [file, shapes] = [join(__dirname, 'saved-shape.txt'), [...FACTS_SHAPES, OUTCOMES]];
    const makeView = (make: MakeEntries, _position: number, saved: SavedConsumer) => foldOf(saved, make);
    await expectSavedShape(directory.path, file, VIEW_VERSION, shapes, makeView, OUTCOME_EVENTS);
  });

  it('are decided on as they were saved after a start, without a read of their stream', async () => {
    const file = join(directory.path, 'started.sqlite');
    const events = inMemoryEventStore();
    const trips: string[] = [];
    const counted = typedEventStore(
      {
        ...events,
        append: async (...given) => {
          const result = await events.append(...given);
          trips.push(result.kind);
          return result;
        },
        readStream: (...given) => {
          trips.push('read');
          return events.readStream(...given);
        },
      },
      MUSTER_CODEC,
    );
    const key = hostKey(1);
    const evaluation = (status: string): OutcomeCommand => ({
      type: 'EvaluateHost',
      hostKey: key,
      generation: 1,
      clusterId: CLUSTER_ID,
      outcomes: RULES.map((id) => outcome(id, status)),
      conditions: conditionsWith({ connected: true }),
      at: AT,
    });
    /** Opens the saved state as a start does, records the outcomes, and saves them. */
    const start = async (status: string): Promise<void> => {
      const states = new SavedStates(sqliteStateStore({ file }), events, (error) => expect(error).toBeUndefined());
      const saved = await states.open('started', [viewFold('started', 1, [OUTCOMES])]);
      const { outcomes } = foldOf(saved, entriesInMemory, counted);
      await outcomes.record(hostSubject(key), evaluation(status), 'cause');
      const last = (await collectPages(events.readAll(-1))).at(-1);
      saved.reached('started', last?.position ?? -1, last);
      await states.close();
    };
    for (const status of ['success', 'failure', 'pending']) await start(status);
    expect(trips).toEqual(['appended', 'appended', 'appended']);
  });

  it('of a large cluster with many networks are stored in several appends', async () => {
    const events = inMemoryEventStore();
    const store = sqliteStateStore({ file: join(directory.path, 'large.sqlite') });
    const states = new SavedStates(store, events, (error) => expect(error).toBeUndefined());
    const saved = await states.open('large', [viewFold('large', 1, [OUTCOMES])]);
    const { outcomes } = foldOf(saved, entriesInMemory, typedEventStore(events, MUSTER_CODEC));
    const hostIds = Array.from({ length: 1_000 }, (_, n) => hostKey(n).split('.')[1] ?? '').sort();
    const groups = new Map(Array.from({ length: 10 }, (_, n) => [`10.${n}.0.0/16`, hostIds]));
    const conditions = { pendingInputsGiven: true, vipsDefined: true, requiredPassed: true };
    const evaluation: OutcomeCommand = {
      type: 'EvaluateCluster',
      clusterId: CLUSTER_ID,
      outcomes: [outcome('api-vips-defined', 'failure')],
      conditions,
      conditionsWithoutHosts: conditions,
      groups,
      at: AT,
    };
    for (const wanted of [3, 3]) {
      await outcomes.record(clusterSubject(CLUSTER_ID), evaluation, 'cause');
      expect((await outcomes.read(CLUSTER_ID)).groups).toEqual(groups);
      expect(await collectPages(events.readAll(-1))).toHaveLength(wanted);
    }
    await states.close();
  });

  it('are the same whether this process stored them or read them from the store', async () => {
    let files = 0;
    const open = async (eventStore: MusterEventStore) => {
      const file = join(directory.path, `stored-${(files += 1)}.sqlite`);
      const onError = (error: Error): never => {
        throw error;
      };
      const states = new SavedStates(sqliteStateStore({ file }), eventStore, onError);
      const saved = await states.open('stored', [viewFold('stored', 1, [OUTCOMES])]);
      const savedTexts = async (): Promise<string[]> => {
        await states.save();
        const keys = saved.state.find(OUTCOMES.name, { where: {} }).map(({ key }) => key);
        return keys.map((key) => key + textOf(saved.state.get(OUTCOMES.name, key) ?? new Uint8Array()));
      };
      return { ...foldOf(saved, entriesInMemory, eventStore), savedTexts, close: () => states.close() };
    };
    const command = fc.record({
      key: fc.constantFrom(...KEYS),
      generation: fc.integer({ min: 1, max: 2 }),
      clusterId: fc.constantFrom(CLUSTER_ID, ''),
      statuses: fc.array(fc.constantFrom('success', 'failure', 'pending'), { minLength: 3, maxLength: 3 }),
      connected: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        const eventStore = newEventStore();
        const [writer, reader] = [await open(eventStore), await open(eventStore)];
        for (const { key, generation, clusterId, statuses, connected } of commands) {
          const evaluation: OutcomeCommand = {
            type: 'EvaluateHost',
            hostKey: key,
            generation,
            clusterId,
            outcomes: RULES.map((id, at) => outcome(id, statuses[at] ?? '')),
            conditions: conditionsWith({ connected }),
            at: AT,
          };
          await writer.outcomes.record(hostSubject(key), evaluation, 'cause');
        }
        for await (const page of eventStore.readAll(-1)) for (const event of page) reader.observe(event);
        const texts = await writer.savedTexts();
        expect(await reader.savedTexts()).toEqual(texts);
        expect(texts).toHaveLength(new Set(commands.map(({ key }) => key)).size);
        await Promise.all([writer.close(), reader.close()]);
      }),
      { numRuns: fc.readConfigureGlobal().numRuns ?? 30 },
    );
  });
});
