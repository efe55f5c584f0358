import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  type FoundRow,
  type SavedState,
  type StateChange,
  type StateConditions,
  StateDamaged,
  type StateQuery,
  type StateStore,
  type TurnLimits,
  TurnShare,
} from '@muster/ports';
import type Database from 'libsql';
import { columnOf, DamagedRow, isDamage, openStateDatabase, prepareTable, type SqlTable } from './state-database';
import { asText, fromColumn, jsonIn, PartOfSave, toColumn } from './state-part';
import { type SqliteWriter, writerHere, type Writes } from './writer';
import type { WritesTo } from './written-databases';

export interface SqliteStateStoreOptions {
  /** Path of the database file; its directory must exist. One process has it open at a time. */
  readonly file: string;
  /** Called with the reason when a saved state was discarded. */
  readonly onDiscarded?: (reason: string) => void;
  /**
   * Called when a row cannot be read. Consumers that need the row cannot continue until the next start, which discards the file.
   * The read throws the error as well.
   */
  readonly onDamaged?: (error: StateDamaged) => void;
  /** Writes the saves. The caller closes it. @default in the thread of the caller */
  readonly writer?: SqliteWriter;
}

/** Time of a save in one turn of the event loop. A request takes many turns, and a save adds this time to each. */
const SAVE_TIME: TurnLimits = { minMs: 1, share: 0.2, maxMs: 8 };
/** The write-ahead log is moved into the database file when it is larger than this. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;
/** Path of the marker file. It exists when damage was found, so that the file is discarded at the next start. */
const markerOf = (file: string): string => `${file}.damaged`;

/** Opens (or creates) the saved states of one process. A file that is damaged or of another format is replaced by an empty one. */
export const sqliteStateStore = ({
  file,
  onDiscarded = () => undefined,
  onDamaged = () => undefined,
  writer = writerHere(),
}: SqliteStateStoreOptions): StateStore => {
  const discard = (reason: string): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    rmSync(markerOf(file), { force: true });
    onDiscarded(`${file}: ${reason}`);
  };
  if (existsSync(markerOf(file))) discard('it could not be read or written');
  const database = openOrReplace(file, discard);
  const writes = writer.open('state', { file });
  let turn: Promise<unknown> = Promise.resolve();

  /** A save is one transaction over several turns of the event loop; other writes come before or after it. */
  const inTurn = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  };

  return {
    open: async (consumer) => {
      const prepared = await inTurn(() =>
        detecting(file, consumer.name, () => consumer.tables.map((table) => prepareTable(database, consumer, table))),
      );
      return new SqliteSavedState({
        file,
        database,
        writes,
        tables: new Map(prepared.map(({ table }) => [table.name, table])),
        createdTables: new Set(prepared.flatMap(({ table, isCreated }) => (isCreated ? [table.name] : []))),
        inTurn,
        onDamaged,
      });
    },
    close: async () => {
      await turn;
      if (!database.open) return;
      database.close();
      // Leaves one file behind instead of three.
      await writes.close();
    },
  };
};

function openOrReplace(file: string, discard: (reason: string) => void): Database.Database {
  try {
    return openStateDatabase(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    discard(error instanceof Error ? error.message : String(error));
    return openStateDatabase(file);
  }
}

/** @throws StateDamaged when the work finds damage in the file, which the next start then discards */
function detecting<Result>(file: string, place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asDamage(file, place, error);
  }
}

function asDamage(file: string, place: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  writeFileSync(markerOf(file), '');
  return new StateDamaged(`${file}, ${place}`, error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}

/** Returns a condition as SQL with its parameters. `after`: only larger keys. */
function conditionOf(
  where: StateConditions['where'],
  after?: string,
): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const parts = Object.entries(where).map(([field, wanted]) => {
    const list = typeof wanted === 'object' ? [...new Set(wanted)] : [wanted];
    // Users choose the lengths of lists, and every prepared statement is kept. So a list of any length is one parameter. JSON has
    // no blobs, as which booleans are stored. There are only two of them.
    if (list.length !== 1 && !list.some((value) => typeof value === 'boolean')) {
      values.push(JSON.stringify(list));
      return `${columnOf(field)} IN (SELECT value FROM json_each(?))`;
    }
    values.push(...list.map(toColumn));
    return `${columnOf(field)} IN (${list.map(() => '?').join(', ')})`;
  });
  if (after !== undefined) {
    parts.push('key > ?');
    values.push(after);
  }
  return { sql: parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '', values };
}

interface SavedStateOptions {
  readonly file: string;
  /** It reads, and creates and clears tables while no save runs. */
  readonly database: Database.Database;
  readonly writes: Writes<WritesTo<'state'>>;
  readonly tables: ReadonlyMap<string, SqlTable>;
  readonly createdTables: ReadonlySet<string>;
  readonly inTurn: <Result>(work: () => Result | Promise<Result>) => Promise<Result>;
  readonly onDamaged: (error: StateDamaged) => void;
}

class SqliteSavedState implements SavedState {
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly options: SavedStateOptions) {}

  get createdTables(): ReadonlySet<string> {
    return this.options.createdTables;
  }

  get(table: string, key: string): Uint8Array | undefined {
    const { sqlName } = this.table(table);
    return this.read(sqlName, () => {
      const row = this.reading(`SELECT value, checksum FROM ${sqlName} WHERE key = ?`).get(key) as
        [Uint8Array, number] | undefined;
      if (row && crc32(row[0]) !== row[1]) throw new DamagedRow(`row ${key} has another checksum`);
      return row?.[0];
    });
  }

  find(table: string, query: StateQuery): readonly FoundRow[] {
    return this.select(table, query);
  }

  private select(table: string, { where, orderBy, after, offset = 0, limit = -1 }: StateQuery): readonly FoundRow[] {
    const { sqlName } = this.table(table);
    const { sql, values } = conditionOf(where, after);
    const direction = orderBy?.descending ? 'DESC' : 'ASC';
    const column = orderBy?.field === undefined ? 'NULL' : columnOf(orderBy.field);
    const order = orderBy?.field === undefined ? `key ${direction}` : `${column} ${direction}, key`;
    const rows = `SELECT key, ${asText(column)} AS found FROM ${sqlName}${sql} ORDER BY ${order} LIMIT ? OFFSET ?`;
    // One text of all rows is also faster than a value for each of their columns. Most searches find none.
    const query = `SELECT CAST(json_group_array(json_array(key, found)) AS BLOB) FROM (${rows}) HAVING count(*) > 0`;
    const found = this.read(sqlName, () =>
      jsonIn<[string, string | null][]>(this.reading(query).get([...values, limit, offset])),
    );
    return (found ?? []).map(([key, value]) => ({ key, order: fromColumn(value) }));
  }

  count(table: string, { where }: StateConditions): number {
    const { sqlName } = this.table(table);
    const { sql, values } = conditionOf(where);
    const query = `SELECT count(*) FROM ${sqlName}${sql}`;
    return this.read(sqlName, () => (this.reading(query).get(values) as [number])[0]);
  }

  lastKey(table: string): string | undefined {
    return this.select(table, { where: {}, orderBy: { descending: true }, limit: 1 })[0]?.key;
  }

  keysAfter(table: string, after: string | undefined, limit: number): readonly string[] {
    return this.select(table, { where: {}, after, limit }).map(({ key }) => key);
  }

  save(changes: Iterable<StateChange>, onSaved: () => void): Promise<void> {
    const { writes, inTurn } = this.options;
    return inTurn(async () => {
      try {
        await this.sendParts(changes);
        // A read between the commit in another thread and its answer must not return the new rows.
        this.keepSnapshot();
        await writes.run('save', [], () => {
          this.releaseSnapshot();
          onSaved();
        });
      } catch (error) {
        this.releaseSnapshot();
        await writes.run('discard', []).catch(() => undefined);
        throw asDamage(this.options.file, 'a save', error);
      }
      await this.checkLog();
    });
  }

  /** Sends the changes in parts, so that other work of the process runs in between. */
  private async sendParts(changes: Iterable<StateChange>): Promise<void> {
    const sent: Promise<void>[] = [];
    let part = new PartOfSave();
    const send = (): void => {
      const written = this.options.writes.run('addPart', part.encode());
      // Its failure is reported after the last part, several turns later.
      written.catch(() => undefined);
      sent.push(written);
      part = new PartOfSave();
    };
    const share = new TurnShare(SAVE_TIME);
    for (const { table, key, row } of changes) {
      part.add(this.table(table), key, row);
      if (share.hasTime()) continue;
      send();
      await share.nextTurn();
    }
    send();
    await Promise.all(sent);
  }

  /** Reads return the rows of now until `releaseSnapshot`. */
  private keepSnapshot(): void {
    this.options.database.exec('BEGIN');
    // A transaction takes its snapshot with the first read.
    this.reading('SELECT count(*) FROM declarations').get();
  }

  private releaseSnapshot(): void {
    const { database } = this.options;
    if (database.inTransaction) database.exec('COMMIT');
  }

  /** The save is stored. The log grows until the next attempt when this one fails. */
  private async checkLog(): Promise<void> {
    try {
      const bytes = statSync(`${this.options.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes > LOG_BYTES_MAX) await this.options.writes.checkpoint();
    } catch {
      // No data is lost.
    }
  }

  async clear(tables: readonly string[]): Promise<void> {
    const { inTurn } = this.options;
    await inTurn(() => tables.forEach((table) => this.clearTable(this.table(table).sqlName)));
  }

  private clearTable(sqlName: string): void {
    detecting(this.options.file, sqlName, () => this.options.database.exec(`DELETE FROM ${sqlName}`));
  }

  private read<Result>(place: string, work: () => Result): Result {
    try {
      return detecting(this.options.file, place, work);
    } catch (error) {
      if (error instanceof StateDamaged) this.options.onDamaged(error);
      throw error;
    }
  }

  private reading(sql: string): Database.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.options.database.prepare(sql).raw();
    this.statements.set(sql, statement);
    return statement;
  }

  private table(name: string): SqlTable {
    const table = this.options.tables.get(name);
    if (!table) throw new Error(`There is no table ${name} of saved state.`);
    return table;
  }
}
