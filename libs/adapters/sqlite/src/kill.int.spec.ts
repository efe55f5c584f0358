import { join } from 'node:path';
import type { RecordedEvent } from '@muster/ports';
import { collectPages, eventually, type RunningProgram, runProgram, temporaryDirectory } from '@muster/testing';
import { sqliteEventStore } from './event-store';
import { openAndCloseElsewhere } from './other-process.fixture.spec';

// On a busy machine, the program and its thread take many seconds to start.
jest.setTimeout(60_000);

type Acknowledged = [stream: string, revision: number, position: number, ...ids: string[]];

const EVENTS_PER_APPEND = 3;
/** More than the appends that the program has in progress, so the last of them began after the file was closed. */
const ACKNOWLEDGEMENTS_AFTER_CLOSE = 100;

describe.each(['here', 'thread'])('process that is killed while it appends (writer: %s)', (writer) => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.db');
  const acknowledged: Acknowledged[] = [];
  afterAll(() => directory.remove());

  const start = () => runProgram(join(__dirname, 'append-until-killed.program.ts'), [file, writer]);

  const killAndVerify = async (program: RunningProgram): Promise<void> => {
    await program.kill();
    acknowledged.push(...program.lines.map((line) => JSON.parse(line) as Acknowledged));

    const store = sqliteEventStore({ file });
    const events = await collectPages(store.readAll(-1));
    await store.close();
    const byId = new Map(events.map((event) => [event.id, event]));
    expect(byId.size).toBe(events.length);
    for (const [stream, revision, position, ...ids] of acknowledged) {
      const stored = ids.map((id) => byId.get(id));
      expect(stored.map((event) => event?.streamId)).toEqual(ids.map(() => stream));
      expect(stored.map((event) => event?.revision)).toEqual([revision - 2, revision - 1, revision]);
      expect(stored.at(-1)?.position).toBe(position);
    }
    for (const revisions of revisionsByStream(events).values()) {
      expect(revisions).toEqual(revisions.map((_, n) => n));
      expect(revisions.length % EVENTS_PER_APPEND).toBe(0);
    }
  };

  it.each([1, 40, 200, 1_000])(
    'has stored all acknowledged events once when it was killed after %i acknowledgements',
    async (answers) => {
      const program = start();
      await acknowledgements(program, answers);
      await killAndVerify(program);
    },
  );

  it('has stored all acknowledged events when another process closed the file before', async () => {
    const program = start();
    await acknowledgements(program, 1);
    await openAndCloseElsewhere(file);
    await acknowledgements(program, program.lines.length + ACKNOWLEDGEMENTS_AFTER_CLOSE);
    await killAndVerify(program);
  });
});

/** Rejects with the last errors of the program when it ends earlier. */
const acknowledgements = (program: RunningProgram, count: number): Promise<void> => {
  const early = async (): Promise<never> => {
    const { code, errors } = await program.ended();
    throw new Error(`The program ended with code ${code} after ${program.lines.length} acknowledgements: ${errors}`);
  };
  return Promise.race([eventually(`${count} acknowledgements arrive`, () => program.lines.length >= count), early()]);
};

const revisionsByStream = (events: readonly RecordedEvent[]): Map<string, number[]> => {
  const streams = new Map<string, number[]>();
  for (const { streamId, revision } of events) streams.set(streamId, [...(streams.get(streamId) ?? []), revision]);
  return streams;
};
