import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { NO_STREAM, type StreamId } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { createBenchBed } from '../bench-bed';
import { installationPhases } from './installation.bench';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const PROD: StreamId = 'cluster-prod';
const EDGE: StreamId = 'cluster-edge';

/** Stream, type and data of events, and the milliseconds after the start at which each was stored. */
type Stored = readonly [
  streamId: StreamId,
  type: string,
  data: { readonly [name: string]: string | object },
  ms: number,
];

const status = (streamId: StreamId, to: string, ms: number): Stored => [
  streamId,
  streamId.startsWith('host-') ? 'HostEnteredStatus' : 'ClusterEnteredStatus',
  { status: to },
  ms,
];

describe('a benchmark of a recorded history', () => {
  const directory = temporaryDirectory();
  afterEach(() => directory.remove());
  const bedOf = (dataDirectory: string) =>
    createBenchBed({ isQuick: true, dataDirectory, program: undefined, tell: () => undefined });

  async function store(events: readonly Stored[]): Promise<string> {
    let nowMs = START_MS;
    const file = join(directory.path, 'events.sqlite');
    const store = sqliteEventStore({ file, clock: { nowMs: () => nowMs } });
    const revisions = new Map<StreamId, number>();
    for (const [streamId, type, data, ms] of events) {
      nowMs = START_MS + ms;
      const metadata = { occurredAt: new Date(nowMs).toISOString() };
      const before = revisions.get(streamId) ?? NO_STREAM;
      await store.append(streamId, before, [{ id: randomUUID(), type, data, metadata } as never]);
      revisions.set(streamId, before + 1);
    }
    await store.close();
    return directory.path;
  }

  it('measures the phases of one cluster and of one installation', async () => {
    const vips = { changes: { apiVips: ['192.0.2.1'] } };
    const dataDirectory = await store([
      ['host-a.1', 'HostRegistered', { clusterId: 'prod' }, 0],
      ['host-b.1', 'HostRegistered', { clusterId: 'edge' }, 0],
      [PROD, 'ClusterSettingsRevised', vips, 1_000],
      status(EDGE, 'ready', 1_020),
      status(PROD, 'ready', 1_100),
      status(PROD, 'preparing-for-installation', 2_000),
      status('host-a.1', 'preparing-for-installation', 2_300),
      status(PROD, 'installing', 3_000),
      status(EDGE, 'preparing-for-installation', 4_000),
      status('host-b.1', 'preparing-for-installation', 4_500),
      status(PROD, 'preparing-for-installation', 8_000),
      status('host-a.1', 'preparing-for-installation', 8_500),
    ]);
    const bed = bedOf(dataDirectory);
    const measured = await installationPhases.run(bed);
    bed.remove();
    expect(measured.map((row) => row.measured)).toEqual(['100 ms', '300 ms']);
  });

  it.each(['', 'missing'])('refuses a directory without a store and writes nothing to it', async (name) => {
    const empty = join(directory.path, 'empty');
    mkdirSync(empty, { recursive: true });
    const dataDirectory = join(empty, name);
    const bed = bedOf(dataDirectory);
    await expect(bed.recording()).rejects.toThrow(
      `There are no events in ${dataDirectory}; give the directory of a finished run.`,
    );
    bed.remove();
    expect(readdirSync(empty)).toEqual([]);
  });
});
