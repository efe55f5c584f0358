import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { types } from 'node:util';
import { deserialize } from 'node:v8';
import type { HostKey } from '@muster/contracts';
import type { EntryShape, MakeEntries } from '@muster/decision';
import { keptEntries, type SavedConsumer, viewFold } from '@muster/event-sourcing';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostKey,
  infraEnvRegistered,
  reportEvent,
  type SampleEvent,
} from './cluster-events';
import { openSavedStates } from './interrupted-consumer';
import { OTHER_SAMPLE_EVENTS, sampleEventsOfHost, storedSample, type View } from './saved-views';

const reportsOf = (key: HostKey): SampleEvent[] => [
  reportEvent(key, 'NtpSourcesReported', { sources: [{ sourceName: 'ntp', sourceState: 'synced' }] }),
  reportEvent(key, 'DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 1 }),
  reportEvent(key, 'ImageAvailabilityReported', {
    images: [{ name: 'i', result: 'success', sizeBytes: 1, seconds: 1, downloadRateMbps: 1 }],
  }),
  reportEvent(key, 'FreeAddressesReported', { networks: [{ network: '192.168.128.0/24', ranges: [] }] }),
  reportEvent(key, 'TangConnectivityReported', { isSuccess: true }),
  reportEvent(key, 'ApiVipConnectivityReported', { isSuccess: true, tangServers: '[]', osImageUrl: 'u' }),
  reportEvent(key, 'ClockOffsetMeasured', { offsetSeconds: 1 }),
  reportEvent(key, 'DomainsResolved', {
    resolutions: [{ domainName: 'api.c.example.com', ipv4Addresses: ['192.0.2.1'] }],
  }),
  reportEvent(key, 'VipsVerified', { vips: [{ vip: '192.168.128.100', vipType: 'api', verification: 'succeeded' }] }),
  reportEvent(key, 'StepFailed', { stepType: 'ntp-synchronizer', reason: 'r' }),
];

/** Events after which the sample has fewer entries. */
const ENDINGS: readonly string[] = [
  'HostUnbound',
  'HostDeregistered',
  'HostDeadlinePassed',
  'ClusterDeregistered',
  'InfraEnvDeregistered',
];

/** Each sample event once, those that remove something at the end. */
function wholeSample(others: readonly SampleEvent[]): readonly SampleEvent[] {
  const ofHosts = [1, 2].flatMap((number) => [...sampleEventsOfHost(number), ...reportsOf(hostKey(number))]);
  const all = [...ofHosts, ...others, ...OTHER_SAMPLE_EVENTS];
  const isEnding = ({ event }: SampleEvent): boolean => ENDINGS.includes(event.type);
  return [
    clusterRegistered(),
    infraEnvRegistered({ clusterId: CLUSTER_ID }),
    ...all.filter((one) => !isEnding(one)),
    ...all.filter(isEnding),
  ];
}

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
  for (const event of storedSample(wholeSample(others))) {
    view.observe(event);
    consumer.reached('sample', event.position, undefined);
    await states.save();
    for (const { name } of shapes)
      for (const { key } of consumer.state.find(name, { where: {} }))
        shape.add(name, deserialize(consumer.state.get(name, key) ?? new Uint8Array()));
  }
  await states.close();
  const present = [`version ${version}`, ...shape.lines()];
  const known = readFileSync(file, 'utf8').trimEnd().split('\n');
  if (present.join('\n') === known.join('\n')) return;
  const received = join(mkdtempSync(join(tmpdir(), 'muster-shape-')), basename(file));
  writeFileSync(received, `${present.join('\n')}\n`);
  const differences = [
    ...known.filter((line) => !present.includes(line)).map((line) => `- ${line}`),
    ...present.filter((line) => !known.includes(line)).map((line) => `+ ${line}`),
  ];
  throw new Error(
    `The saved entries differ from ${file}. Raise the version of the view unless this release has raised it already, and copy ${received} there:\n${differences.join('\n')}`,
  );
}
