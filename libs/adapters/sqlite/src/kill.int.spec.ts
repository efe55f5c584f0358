import { join } from 'node:path';
import type { RecordedEvent } from '@muster/ports';
import { collectPages, eventually, runProgram, temporaryDirectory } from '@muster/testing';
import Database from 'libsql';
import { sqliteEventStore } from './event-store';

type Acknowledged = [stream: string, revision: number, position: number, ...ids: string[]];

const EVENTS_PER_APPEND = 3;
/** Appends that the program has in progress. Any further acknowledgement is of an append that began after the file was closed. */
const WRITERS = 32;

describe.each(['here', 'thread'])(
  'process that is killed while it appends and another one opened the file (writer: %s)',
  (writer) => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'events.db');
    const acknowledged: Acknowledged[] = [];
    afterAll(() => directory.remove());

    it.each([1, 40, 200, 1_000])(
      'has stored all acknowledged events once when it was killed after %i acknowledgements',
      async (answers) => {
        const program = runProgram(join(__dirname, 'append-until-killed.program.ts'), [file, writer]);
        await eventually(`${answers} acknowledgements arrive`, () => program.lines.length >= answers);
        openAndClose(file);
        const before = program.lines.length;
        await eventually('more acknowledgements arrive', () => program.lines.length > before + WRITERS);
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
      },
    );
  },
);

/** As `muster store` does while Muster runs. The last connection that is closed moves the write-ahead log into the file and deletes it. */
const openAndClose = (file: string): void => {
  const other = new Database(file);
  other.exec('SELECT count(*) FROM events');
  other.close();
};

const revisionsByStream = (events: readonly RecordedEvent[]): Map<string, number[]> => {
  const streams = new Map<string, number[]>();
  for (const { streamId, revision } of events) streams.set(streamId, [...(streams.get(streamId) ?? []), revision]);
  return streams;
};
