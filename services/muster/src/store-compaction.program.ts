import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import { type Replacement, SqliteCompaction } from '@muster/adapter-sqlite';
import { compactStore } from './store-compaction';

/**
 * Compacts the store in a directory and kills itself while it replaces the events of the stream with this number, or after that. 0: while
 * it removes the first document.
 */
const [dataDirectory = '', stream = '', moment = ''] = process.argv.slice(2);

const end = (): never => {
  process.kill(process.pid, 'SIGKILL');
  // The signal arrives at the latest when this thread waits.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
};

class KilledCompaction {
  private static calls = 0;

  static replace(this: SqliteCompaction, replacements: readonly Replacement[]): ReturnType<typeof replace> {
    KilledCompaction.calls += 1;
    if (KilledCompaction.calls !== Number(stream)) return replace.call(this, replacements);
    const [last] = replacements.slice(-1);
    const trap = {
      get position(): number {
        return end();
      },
      data: last?.data,
    };
    if (moment === 'inside') return replace.call(this, [...replacements, trap]);
    replace.call(this, replacements);
    return end();
  }
}

const { replace } = SqliteCompaction.prototype;
SqliteCompaction.prototype.replace = KilledCompaction.replace;

void compactStore({
  dataDirectory,
  objectStore: { ...inMemoryObjectStore(), remove: () => Promise.resolve(end()) },
  beforeMs: Date.now(),
  print: () => undefined,
});
