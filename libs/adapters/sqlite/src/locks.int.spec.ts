import { statSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM, type SavedState } from '@muster/ports';
import { eventToAppend, temporaryDirectory } from '@muster/testing';
import { sqliteEventStore } from './event-store';
import { openAndCloseElsewhere } from './other-process.fixture.spec';
import { sqliteSealedStorage } from './sealed-storage';
import { sqliteSmallObjects } from './small-objects';
import { sqliteStateStore } from './state-store';

const CONSUMER = { name: 'sample', version: 1, tables: [{ name: 'rows', fields: [], indexes: [] }] };
const NOT_USED = {} as Parameters<typeof sqliteSmallObjects>[0]['others'];

interface Opened {
  write(n: number): Promise<unknown>;
  close(): Promise<void>;
}

function openEvents(file: string): Opened {
  const store = sqliteEventStore({ file });
  return { write: (n) => store.append(`sample-${n}`, NO_STREAM, [eventToAppend()]), close: () => store.close() };
}

function openObjects(file: string): Opened {
  const store = sqliteSmallObjects({ file, others: NOT_USED });
  return { write: (n) => store.put(Buffer.from(`body ${n}`), 100), close: () => store.close() };
}

function openSealed(file: string): Opened {
  const storage = sqliteSealedStorage(file);
  return {
    write: (n) => storage.create(`scope-${n}`, new Map([['name', Buffer.from('value')]])),
    close: () => storage.close(),
  };
}

function openState(file: string): Opened {
  const store = sqliteStateStore({ file });
  let state: SavedState | undefined;
  return {
    write: async (n) => {
      state ??= await store.open(CONSUMER);
      await state.save(
        [{ table: 'rows', key: `key-${n}`, row: { key: `key-${n}`, value: Buffer.from('value'), fields: [] } }],
        () => undefined,
      );
    },
    close: () => store.close(),
  };
}

describe('a database that another process opens and closes', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it.each([
    ['event store', openEvents],
    ['small objects', openObjects],
    ['sealed values', openSealed],
    ['saved states', openState],
  ])('keeps the write-ahead log of the %s', async (name, open) => {
    const file = join(directory.path, name);
    const opened = open(file);
    try {
      await opened.write(1);
      const { ino } = statSync(`${file}-wal`);
      await openAndCloseElsewhere(file);
      await opened.write(2);
      expect(statSync(`${file}-wal`).ino).toBe(ino);
    } finally {
      await opened.close();
    }
  });
});
