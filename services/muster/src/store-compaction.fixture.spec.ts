import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import {
  type HostKey,
  MUSTER_CODEC,
  isEventOf,
  type MusterEvent,
  parseEvent,
  streamIdOf,
  toStoredData,
} from '@muster/contracts';
import { DocumentChanges, typedEventStore } from '@muster/event-sourcing';
import { hostGenerationAfter } from '@muster/domain';
import { FactsView, outcomeDecider, type RecordedOutcomes } from '@muster/evaluation';
import { NO_STREAM, parseStreamId, type StreamId } from '@muster/ports';
import { projectEvent, projectJourney } from '@muster/service-events';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEvent,
  hostEntered,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import fc from 'fast-check';

const START_MS = Date.parse('2024-01-01T00:00:00.000Z');
const MINUTE_MS = 60_000;
const HOSTS = [1, 2].map(hostKey);
const RULES = ['has-inventory', 'ntp-synced', 'connected', 'belongs-to-majority-group'];
const CLUSTER_RULES = ['ntp-server-configured', 'api-vips-valid'];

/** The last events of an installation. */
export const INSTALLED: readonly SampleEvent[] = [
  clusterEvent('ClusterEnteredStatus', { status: 'installed', from: 'finalizing', transition: 't', at: timeOf(0) }),
];

/** The first events of a cluster with two hosts. */
export const REGISTERED: readonly SampleEvent[] = [
  infraEnvRegistered(),
  clusterRegistered(),
  ...HOSTS.flatMap((key) => [hostRegistered(key), hostEntered(key, 'discovering')]),
];

function timeOf(index: number): string {
  return new Date(START_MS + index * MINUTE_MS).toISOString();
}

const digestOf = (number: number): string => `sha256:${String(number).padStart(64, '0')}`;
const body = fc.integer({ min: 1, max: 9 }).map((number) => ({ digest: digestOf(number), bytes: 1 }));
const outcomeOf = (ids: readonly string[]) =>
  fc.record({
    id: fc.constantFrom(...ids),
    status: fc.constantFrom('success', 'failure', 'pending', 'error'),
    reason: fc.constantFrom(undefined, 'awaits-inventory', 'awaits-role'),
    parameters: fc.array(fc.constantFrom('a', 'b'), { maxLength: 1 }),
    flapping: fc.constantFrom(undefined, undefined, undefined, {
      since: timeOf(0),
      flips: 6,
      windowSeconds: 60,
      quietSeconds: 60,
    }),
  });
const conditions = fc.option(
  fc.record({
    connected: fc.boolean(),
    mediaConnected: fc.boolean(),
    inventory: fc.constantFrom('none', 'usable'),
    minHardware: fc.boolean(),
  }),
  { nil: undefined },
);

export const outcomesChanged = (key: HostKey, data: object): SampleEvent =>
  sample('validation', key, 'HostOutcomesChanged', { hostKey: key, clusterId: CLUSTER_ID, ...data });

const outcomesOf = (key: HostKey) =>
  fc
    .record({
      changed: fc.uniqueArray(outcomeOf(RULES), { selector: ({ id }) => id, maxLength: 3 }),
      conditions,
    })
    .map((data) => outcomesChanged(key, data));

function sample(category: 'validation', id: string, type: MusterEvent['type'], data: object): SampleEvent {
  return { streamId: streamIdOf(category, id), event: parseEvent(category, type, data) };
}

const clusterOutcomes = fc
  .record({
    changed: fc.uniqueArray(outcomeOf(CLUSTER_RULES), { selector: ({ id }) => id, maxLength: 2 }),
    groups: fc.subarray(['h1', 'h2']),
  })
  .map(({ changed, groups }) =>
    sample('validation', CLUSTER_ID, 'ClusterOutcomesChanged', {
      clusterId: CLUSTER_ID,
      changed,
      connectivityGroups: { groups: [{ network: 'IPv4', joinedHostIds: groups, leftHostIds: [] }] },
    }),
  );

const reportOf = (key: HostKey) => {
  const peer = fc.record({
    hostId: fc.constantFrom(...HOSTS.map((other) => parsedHostId(other)), 'gone'),
    nearAddresses: fc.constant(['192.168.128.10']),
    farAddresses: fc.constant([]),
    latencyMs: fc.constantFrom(1, 500),
    packetLossPercent: fc.constantFrom(0, 10),
  });
  return fc.oneof(
    fc
      .record({
        hostname: fc.constantFrom('a', 'a', 'b'),
        address: fc.constantFrom('192.168.128.10/24', '10.0.0.9/8'),
        body,
      })
      .map(({ hostname, address, ...rest }) => {
        const event = inventoryReported(key, { hostname, nics: [{ name: 'e', ipv4Addresses: [address] }] });
        return reportEvent(key, 'InventoryReported', { ...event.event.data, ...rest });
      }),
    fc
      .record({ sources: fc.constantFrom(ntpSources('a'), ntpSources('b')) })
      .map((data) => reportEvent(key, 'NtpSourcesReported', data)),
    fc.record({ peers: fc.uniqueArray(peer, { selector: ({ hostId }) => hostId, maxLength: 2 }), body }).map((data) =>
      reportEvent(key, 'ConnectivityReported', {
        ...data,
        vanishedPeers: data.peers.some(({ hostId }) => hostId === 'gone') ? [] : ['gone'],
        collisions: [],
      }),
    ),
    fc.record({ body }).map((data) => reportEvent(key, 'FreeAddressesReported', { ...data, networks: [] })),
    fc.constant(reportEvent(key, 'DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 50, exitCode: 0 })),
    fc
      .constantFrom('ntp-synchronizer', 'connectivity-check')
      .map((stepType) => reportEvent(key, 'ReportCleared', { stepType })),
  );
};

/** Sources with this name, about as long as those of a real host. */
export const ntpSources = (name: string) =>
  [1, 2, 3, 4].map((number) => ({ sourceName: `${name}${number}.ntp.example.com`, sourceState: 'synced' }));

const parsedHostId = (key: HostKey): string => key.slice(key.indexOf('.') + 1);

const ENTERED = { from: '', transition: 't', at: timeOf(0) };
/** A reason whose text contains the messages of these rules. */
const reasonOf = ([failing = '', ...pending]: readonly string[]) => ({
  code: 'insufficient',
  parameters: {},
  failing: [failing],
  pending,
});

export const insufficientBecauseOf = (key: HostKey, ruleIds: readonly string[]): SampleEvent =>
  hostEvent(key, 'HostEnteredStatus', { ...ENTERED, status: 'insufficient', statusReason: reasonOf(ruleIds) });

const clusterChange = fc.constant(
  clusterEvent('ClusterEnteredStatus', { ...ENTERED, status: 'insufficient', statusReason: reasonOf(CLUSTER_RULES) }),
);

const hostChange = (key: HostKey) =>
  fc.constantFrom<SampleEvent[]>(
    hostEntered(key, 'known'),
    hostEntered(key, 'insufficient'),
    insufficientBecauseOf(key, RULES),
    hostEvent(key, 'HostReregistered', { at: timeOf(0), discoveryAgentVersion: 'agent' }),
    hostEvent(key, 'HostRoleSuggested', { role: 'master' }),
    hostEvent(key, 'HostDeregistered', { at: timeOf(0) }),
  );

/** Gives the reports and outcomes the generation of their host, and marks the first outcomes of a generation. */
function consistent(samples: readonly SampleEvent[]): readonly SampleEvent[] {
  const generations = new Map<string, number>();
  const evaluated = new Map<string, number>();
  return samples.flatMap((one): readonly SampleEvent[] => {
    const { event, streamId } = one;
    const { id } = parseStreamId(streamId);
    const before = generations.get(id) ?? 0;
    if (isEventOf('host', event)) generations.set(id, hostGenerationAfter(before, event));
    if (!('generation' in event.data)) return [one];
    const change = { generation: before, ...('reset' in event.data && { reset: evaluated.get(id) !== before }) };
    if (event.type === 'HostOutcomesChanged') evaluated.set(id, before);
    return [{ streamId, event: Object.assign({ ...event }, { data: { ...event.data, ...change } }) }];
  });
}

/** Random events of a cluster and its hosts, up to the installed cluster. */
export const histories = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: clusterOutcomes },
      { weight: 1, arbitrary: clusterChange },
      ...HOSTS.flatMap((key) => [
        { weight: 4, arbitrary: outcomesOf(key) },
        { weight: 4, arbitrary: reportOf(key) },
        { weight: 1, arbitrary: hostChange(key) },
      ]),
    ),
    { minLength: 5, maxLength: 60 },
  )
  .map((events) => consistent([...REGISTERED, ...events, ...INSTALLED]));

/** Stores the events in a new event store of the data directory, one minute after another. */
export async function storeEvents(dataDirectory: string, samples: readonly SampleEvent[]): Promise<void> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  const revisions = new Map<StreamId, number>();
  const appends = samples.map(async ({ streamId, event }, index) => {
    const expected = revisions.get(streamId) ?? NO_STREAM;
    revisions.set(streamId, expected + 1);
    const data = toStoredData(
      'at' in event.data ? Object.assign({ ...event }, { data: { ...event.data, at: timeOf(index) } }) : event,
    );
    const metadata = {
      commandId: randomUUID(),
      correlationId: randomUUID(),
      actor: `agent:${randomUUID()}`,
      occurredAt: timeOf(index),
    };
    const result = await store.append(streamId, expected, [{ id: randomUUID(), type: event.type, data, metadata }]);
    if (result.kind === 'conflict') throw new Error(`${streamId} is at ${result.actualRevision}`);
  });
  await Promise.all(appends);
  await store.close();
}

/** Everything that a replay of the store gives: read models with event log, metrics and timelines, the inputs of validations, the outcomes. */
export async function replayed(dataDirectory: string): Promise<object> {
  const store = typedEventStore(sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') }), MUSTER_CODEC);
  const [views, journeys, facts] = [new DocumentChanges(), new DocumentChanges(), new FactsView()];
  const outcomes = new Map<string, RecordedOutcomes>();
  for await (const page of store.readAll(-1))
    for (const event of page) {
      for (const change of await projectEvent(event, async (name, key) => views.get(name, key))) views.add(change);
      for (const change of await projectJourney(event, async (name, key) => journeys.get(name, key)))
        journeys.add(change);
      facts.observe(event);
      if (event.type !== 'HostOutcomesChanged' && event.type !== 'ClusterOutcomesChanged') continue;
      const { id } = parseStreamId(event.streamId);
      outcomes.set(id, outcomeDecider.evolve(outcomes.get(id) ?? outcomeDecider.initialState(), event));
    }
  await store.close();
  const cluster = facts.cluster(CLUSTER_ID);
  return {
    views: views.list().map(byKey).sort(),
    journeys: journeys.list().map(byKey).sort(),
    hosts: HOSTS.map((key) => inputsOf(facts, key)),
    groups: cluster && facts.groupsOf(cluster),
    outcomes,
  };
}

function inputsOf(facts: FactsView, key: HostKey): object {
  const host = facts.host(key);
  // The order of the connections to other hosts has no meaning.
  const weakReaches = host && [...host.reports.weakReaches].sort((one, other) => (one.hostId < other.hostId ? -1 : 1));
  return { ...host, summary: undefined, reports: { ...host?.reports, weakReaches } };
}

const byKey = (change: { readonly collection: string; readonly key: string }): string =>
  `${change.collection} ${change.key} ${JSON.stringify(change, sortedMembers)}`;

/** The order of the members of a document has no meaning. */
const sortedMembers = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
    : value;
