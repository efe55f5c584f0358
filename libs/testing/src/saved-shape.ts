import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { types } from 'node:util';
import { deserialize } from 'node:v8';
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import {
  EVENTS_BY_CATEGORY,
  MUSTER_CODEC,
  type MusterEvent,
  parseEvent,
  parseHostKey,
  type RecordedMusterEvent,
  type StreamCategory,
  streamIdOf,
} from '@muster/contracts';
import type { EntryShape, MakeEntries } from '@muster/decision';
import {
  DocumentChanges,
  keptEntries,
  ParkedStreams,
  parkedStreamsOf,
  type ProjectEvent,
  type ReadDocument,
  type SavedConsumer,
  typedEventStore,
  viewFold,
} from '@muster/event-sourcing';
import type { JsonObject, JsonValue, SavedFold } from '@muster/ports';
import { keysOf } from '@muster/schema';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostKey,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  type SampleEvent,
} from './cluster-events';
import { openSavedStates } from './interrupted-consumer';
import { AT, BEGINS_GENERATION, OTHER_SAMPLE_EVENTS, sampleEventsOfHost, storedSample, type View } from './saved-views';

const HOST_ID = parseHostKey(hostKey(1)).hostId;

/** Texts of members that have a format or a fixed set of values, by the name of the member or by its message and name. Others are their own name. */
const TEXTS: { readonly [member: string]: string } = {
  'CidrList.items': '192.168.128.0/24',
  'ClusterEnteredStatus.status': 'installing',
  'ClusterRegistered.kind': 'Cluster',
  'HostEnteredStatus.status': 'known',
  'MonitoredOperator.name': 'lvm',
  'MonitoredOperator.operatorType': 'olm',
  'OperatorChoice.name': 'lvm',
  'OperatorStatusReported.name': 'lvm',
  'Outcome.id': 'ntp-synced',
  'Outcome.status': 'failure',
  'PeerReach.hostId': parseHostKey(hostKey(2)).hostId,
  address: '192.168.128.11',
  at: AT,
  bootstrapHostId: HOST_ID,
  cidr: '10.128.0.0/14',
  clusterId: CLUSTER_ID,
  deadline: 'stage',
  hostId: HOST_ID,
  hostKey: hostKey(1),
  infraEnvId: INFRA_ENV_ID,
  installerArgs: '[]',
  ipv4Addresses: '192.168.128.10/24',
  ipv6Addresses: 'fd00::10/64',
  items: '192.168.128.100',
  joinedHostIds: HOST_ID,
  kernelArguments: '[{"operation":"append","value":"a=b"}]',
  logsState: 'requested',
  logsType: 'controller',
  macAddresses: '02:00:00:00:00:01',
  network: '192.168.128.0/24',
  nodeLabels: '{"name":"value"}',
  openshiftVersion: '4.18.3',
  ranges: '192.168.128.20-192.168.128.29',
  role: 'master',
  since: AT,
  source: 'user',
  stage: 'Rebooting',
  startedAt: AT,
  stepType: 'ntp-synchronizer',
  tangServers: '[]',
  vanishedPeers: HOST_ID,
};

/** Returns data in which every member has a value, also an optional one. */
const filled = (schema: DescMessage): JsonObject =>
  schema.typeName === 'google.protobuf.Struct'
    ? { member: 'text' }
    : Object.fromEntries(schema.fields.map((field) => [field.jsonName, filledMember(schema, field)]));

function filledMember({ name }: DescMessage, field: DescField): JsonValue {
  const text = TEXTS[`${name}.${field.jsonName}`] ?? TEXTS[field.jsonName] ?? field.jsonName;
  const scalar = field.scalar === ScalarType.STRING ? text : field.scalar === ScalarType.BOOL || 1;
  const value = field.message ? filled(field.message) : scalar;
  if (field.fieldKind === 'list') return [value];
  return field.fieldKind === 'map' ? { member: value } : value;
}

/** Returns the id of the stream of the first sample host, its infra-env or its cluster that has the event. */
function idOf(category: StreamCategory, type: string): string {
  if (category === 'host' || category === 'inventory' || type === 'HostOutcomesChanged') return hostKey(1);
  return category === 'infraEnv' || category === 'image' ? INFRA_ENV_ID : CLUSTER_ID;
}

const eachType = (dataOf: (schema: DescMessage) => JsonObject): readonly SampleEvent[] =>
  keysOf(EVENTS_BY_CATEGORY).flatMap((category) =>
    Object.entries<DescMessage>(EVENTS_BY_CATEGORY[category]).map(([type, schema]) => ({
      streamId: streamIdOf(category, idOf(category, type)),
      event: parseEvent(category, type, dataOf(schema)),
    })),
  );

/** Each type of event without optional members, as an earlier release may have stored it, and with a value of every member. */
const EACH_TYPE: readonly SampleEvent[] = [...eachType(() => ({})), ...eachType(filled)];

const isOneOf =
  (types: readonly string[]) =>
  ({ event }: SampleEvent): boolean =>
    types.includes(event.type);

const isRegistration = isOneOf(['ClusterRegistered', 'InfraEnvRegistered']);
const beginsGeneration = isOneOf([...BEGINS_GENERATION, 'HostReregistered']);
const isDeletion = isOneOf(['HostUnbound', 'HostDeregistered', 'ClusterDeregistered', 'InfraEnvDeregistered']);

/** Whether the sample has fewer entries after the event. */
const isEnding = (one: SampleEvent): boolean =>
  isDeletion(one) || ('deadline' in one.event.data && one.event.data.deadline === 'retention');

/** Members of the metadata that not every event has. Changes of the service itself are shown as such. */
const ORIGIN = {
  causationId: 'e',
  requestId: 'r',
  actor: 'service:test',
  org: 'o',
  user: 'u',
  sourceAddress: '192.0.2.1',
};

/**
 * Each type of event, the events of the sample, and the others. The reports and outcomes among the first ones belong to the generation of
 * their host, and events that remove something are at the end.
 */
function wholeSample(others: readonly SampleEvent[]): readonly RecordedMusterEvent[] {
  const all = [...[1, 2].flatMap(sampleEventsOfHost), ...others, ...OTHER_SAMPLE_EVENTS];
  const changes = EACH_TYPE.filter((one) => !isRegistration(one) && !isEnding(one));
  const events = [
    ...EACH_TYPE.filter(isRegistration),
    clusterRegistered(),
    infraEnvRegistered({ clusterId: CLUSTER_ID }),
    hostRegistered(hostKey(1)),
    ...changes.filter((one) => !beginsGeneration(one)),
    ...changes.filter(beginsGeneration),
    ...all.filter((one) => !isEnding(one)),
    ...all.filter(isEnding),
  ];
  return storedSample(events).map((event) => ({ ...event, metadata: { ...event.metadata, ...ORIGIN } }));
}

/** Other names are values, such as ids and addresses. */
const MEMBER_NAME = /^[a-z_][\w-]*$/i;

/** The types of the members of saved values, as lines of text. */
class SavedShape {
  private readonly types = new Map<string, Set<string>>();
  private readonly objects = new Map<string, number>();
  private readonly members = new Map<string, { readonly of: string; count: number }>();

  add(path: string, value: unknown): void {
    if (types.isMap(value)) {
      this.note(path, 'map');
      for (const one of value.values()) this.add(`${path}{}`, one);
    } else if (types.isSet(value) || Array.isArray(value)) {
      this.note(path, types.isSet(value) ? 'set' : 'array');
      for (const one of value) this.add(`${path}[]`, one);
    } else if (typeof value === 'object' && value !== null) {
      this.note(path, 'object');
      this.objects.set(path, (this.objects.get(path) ?? 0) + 1);
      for (const [name, one] of Object.entries(value)) {
        if (!MEMBER_NAME.test(name)) {
          this.add(`${path}{}`, one);
          continue;
        }
        const member = this.members.get(`${path}.${name}`) ?? { of: path, count: 0 };
        member.count += 1;
        this.members.set(`${path}.${name}`, member);
        this.add(`${path}.${name}`, one);
      }
    } else this.note(path, value === null ? 'null' : typeof value);
  }

  /** A member that some objects do not have ends with "?". */
  lines(): readonly string[] {
    return [...this.types]
      .map(([path, names]) => {
        const member = this.members.get(path);
        const isOptional = member !== undefined && member.count < (this.objects.get(member.of) ?? 0);
        return `${path}${isOptional ? '?' : ''}: ${[...names].sort().join(' | ')}`;
      })
      .sort();
  }

  private note(path: string, name: string): void {
    this.types.set(path, (this.types.get(path) ?? new Set()).add(name));
  }
}

/**
 * Checks that the saved entries of a view have the shape in the file, which begins with the version of the view. A release whose entries
 * have another shape needs a higher version. Otherwise it loads the entries of an earlier release and lacks members.
 * @throws Error with the lines that differ and the file with the present lines
 */
export async function expectSavedShape(
  directory: string,
  file: string,
  version: number,
  shapes: readonly EntryShape[],
  makeView: (make: MakeEntries, position: number, consumer: SavedConsumer) => View,
  others: readonly SampleEvent[] = [],
): Promise<void> {
  const states = openSavedStates(join(directory, 'shape.sqlite'));
  const consumer = await states.open('sample', [viewFold('sample', version, shapes)]);
  const view = makeView(keptEntries(consumer), consumer.position('sample'), consumer);
  const shape = new SavedShape();
  for (const event of wholeSample(others)) {
    view.observe(event);
    consumer.reached('sample', event.position, undefined);
    await states.save();
    for (const { name } of shapes)
      for (const { key } of consumer.state.find(name, { where: {} }))
        shape.add(name, deserialize(consumer.state.get(name, key) ?? new Uint8Array()));
  }
  await states.close();
  expectShape(file, version, shape);
}

/**
 * Checks the documents of a projection in the same way, members that are `undefined` and not saved included.
 * @throws Error with the lines that differ and the file with the present lines
 */
export async function expectDocumentShape(
  file: string,
  { name, version }: SavedFold,
  project: ProjectEvent<MusterEvent>,
  others: readonly SampleEvent[] = [],
): Promise<void> {
  const documents = new DocumentChanges();
  const read: ReadDocument = async (collection, key) => documents.get(collection, key);
  const shape = new SavedShape();
  for (const event of wholeSample(others))
    for (const change of await project(event, read)) {
      documents.add(change);
      if (change.kind === 'put') shape.add(change.collection, change.document);
    }
  const parked = new ParkedStreams();
  const [first] = wholeSample([]);
  const store = typedEventStore(inMemoryEventStore(), MUSTER_CODEC);
  if (first) await parked.attempt(first, store, () => Promise.reject(new Error('not projected')));
  for (const stream of parked.list()) shape.add(parkedStreamsOf(name), stream);
  expectShape(file, version, shape);
}

function expectShape(file: string, version: number, shape: SavedShape): void {
  const present = [`version ${version}`, ...shape.lines()];
  const known = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  if (present.join('\n') === known.join('\n')) return;
  const received = join(mkdtempSync(join(tmpdir(), 'muster-shape-')), basename(file));
  writeFileSync(received, `${present.join('\n')}\n`);
  const differences = [
    ...known.filter((line) => !present.includes(line)).map((line) => `- ${line}`),
    ...present.filter((line) => !known.includes(line)).map((line) => `+ ${line}`),
  ];
  throw new Error(
    `The saved entries differ from ${file}. Raise their version unless this release has raised it already, and copy ${received} there:\n${differences.join('\n')}`,
  );
}
