import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NO_STREAM, type EventToAppend } from '@muster/ports';
import { sqliteEventStore } from './event-store';
import { writerHere, writerThread } from './writer';

/**
 * Appends three events at a time to several streams concurrently and prints each acknowledgement, until it is killed. Arguments: the file
 * of the store; `thread` to write in a thread of its own.
 */
const WRITERS = 32;

const sample = (): EventToAppend => ({
  id: randomUUID(),
  type: 'SampleHappened',
  data: { padding: 'x'.repeat(300) },
  metadata: {
    commandId: randomUUID(),
    correlationId: randomUUID(),
    actor: 'service:test',
    occurredAt: '2024-01-01T00:00:00.000Z',
  },
});

const [, , file = '', thread] = process.argv;
const writer = thread === 'thread' ? writerThread({ entry: join(__dirname, 'writer.entry.ts') }) : writerHere();
const store = sqliteEventStore({ file, writer });

/** Waits for the reader of the output. A synchronous write would fail then: Node makes the output non-blocking when a thread starts. */
const print = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));

const write = async (): Promise<never> => {
  const stream = `sample-${randomUUID()}` as const;
  for (let revision = NO_STREAM; ;) {
    const events = [sample(), sample(), sample()];
    const result = await store.append(stream, revision, events);
    if (result.kind === 'conflict') throw new Error(`${stream} has another writer.`);
    revision = result.revision;
    await print(JSON.stringify([stream, revision, result.position, ...events.map((event) => event.id)]));
  }
};

for (let n = 0; n < WRITERS; n += 1) void write();
