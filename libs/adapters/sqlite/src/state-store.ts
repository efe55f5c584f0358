import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  type FieldValue,
  type FoundRow,
  type SavedState,
  type StateChange,
  type StateConditions,
  type StateConsumer,
  StateDamaged,
  type StateQuery,
  type StateRow,
  type StateStore,
  type StateTable,
} from '@muster/ports';
import type Database from 'libsql';
import { DamagedRow, isDamage, openStateDatabase } from './state-database';
import { WalCheckpoints } from './wal-checkpoints';

export interface SqliteStateStoreOptions {
  /** Path of the database file; its directory must exist. One process has it open at a time. */
  readonly file: string;
  /** Called with the reason when a saved state was discarded. */
  readonly onDiscarded?: (reason: string) => void;
}

/** Time in ms after which a save lets other work of the process run. */
const SLICE_MS = 4;
/** Path of the marker file. It exists when a read found damage, so that the file is discarded at the next start. */
const markerOf = (file: string): string => `${file}.damaged`;

/** Opens (or creates) the saved states of one process. A file that is damaged or of another format is replaced by an empty one. */
export const sqliteStateStore = ({ file, onDiscarded = () => undefined }: SqliteStateStoreOptions): StateStore => {
  const discard = (reason: string): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    rmSync(markerOf(file), { force: true });
    onDiscarded(`${file}: ${reason}`);
  };
  if (existsSync(markerOf(file))) discard('a row could not be read');
  const writer = openOrReplace(file, discard);
  const reader = openStateDatabase(file);
  const checkpoints = new WalCheckpoints(file);
  let turn: Promise<unknown> = Promise.resolve();

  /** A save is one transaction over several turns of the event loop; other writes come before or after it. */
  const inTurn = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  };

  return {
    open: async (consumer) => {
      const prepared = await inTurn(() => consumer.tables.map((table) => prepareTable(writer, consumer, table)));
      return new SqliteSavedState({
        file,
        reader,
        writer,
        tables: new Map(prepared.map(({ table }) => [table.name, table])),
        createdTables: new Set(prepared.flatMap(({ table, isCreated }) => (isCreated ? [table.name] : []))),
        inTurn,
        onSaved: () => checkpoints.grown(),
      });
    },
    close: async () => {
      await turn;
      await checkpoints.close();
      if (!writer.open) return;
      reader.close();
      // Leaves one file behind instead of three.
      writer.pragma('wal_checkpoint(TRUNCATE)');
      writer.close();
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

/** A declared table with its SQL name. */
interface SqlTable extends StateTable {
  readonly sqlName: string;
}

/** Checks a name, because it becomes part of SQL statements. */
function nameIn(text: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(text)) throw new Error(`'${text}' cannot name a table or a field of saved state.`);
  return text;
}

const columnOf = (field: string): string => `f_${nameIn(field)}`;

function prepareTable(
  database: Database.Database,
  consumer: StateConsumer,
  table: StateTable,
): { readonly table: SqlTable; readonly isCreated: boolean } {
  const sqlName = `${nameIn(consumer.name)}__${nameIn(table.name)}`;
  const columns = table.fields.map((field) => `, ${columnOf(field)}`).join('');
  const create = [
    `CREATE TABLE ${sqlName} (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL${columns})`,
    ...table.indexes.map(
      (fields, n) => `CREATE INDEX ${sqlName}__${n} ON ${sqlName} (${[...fields.map(columnOf), 'key'].join(', ')})`,
    ),
  ];
  const declared = create.join('; ');
  const found = database.prepare('SELECT declared FROM declarations WHERE name = ?').raw().get(sqlName) as
    [string] | undefined;
  const isCreated = found?.[0] !== declared;
  if (isCreated) {
    database.exec('BEGIN IMMEDIATE');
    database.exec(`DROP TABLE IF EXISTS ${sqlName}`);
    for (const statement of create) database.exec(statement);
    database.prepare('INSERT OR REPLACE INTO declarations (name, declared) VALUES (?, ?)').run(sqlName, declared);
    database.exec('COMMIT');
  }
  return { table: { ...table, sqlName }, isCreated };
}

/** Booleans are stored as blobs, because SQLite would compare them with numbers. Blobs sort after texts, as booleans must. */
const toColumn = (value: FieldValue | undefined): string | number | Uint8Array | null =>
  typeof value === 'boolean' ? Uint8Array.of(value ? 1 : 0) : (value ?? null);
const fromColumn = (value: unknown): FieldValue | undefined => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value instanceof Uint8Array ? value[0] === 1 : undefined;
};

/** Returns a condition as SQL with its parameters. */
function conditionOf(where: StateConditions['where']): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const parts = Object.entries(where).map(([field, wanted]) => {
    const list = typeof wanted === 'object' ? [...new Set(wanted)] : [wanted];
    values.push(...list.map(toColumn));
    return `${columnOf(field)} IN (${list.map(() => '?').join(', ')})`;
  });
  return { sql: parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '', values };
}

interface SavedStateOptions {
  readonly file: string;
  readonly reader: Database.Database;
  readonly writer: Database.Database;
  readonly tables: ReadonlyMap<string, SqlTable>;
  readonly createdTables: ReadonlySet<string>;
  readonly inTurn: <Result>(work: () => Result | Promise<Result>) => Promise<Result>;
  readonly onSaved: () => void;
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

  find(table: string, { where, orderBy, offset = 0, limit = -1 }: StateQuery): readonly FoundRow[] {
    const { sqlName } = this.table(table);
    const { sql, values } = conditionOf(where);
    const direction = orderBy?.descending ? 'DESC' : 'ASC';
    const column = orderBy?.field === undefined ? 'NULL' : columnOf(orderBy.field);
    const order = orderBy?.field === undefined ? `key ${direction}` : `${column} ${direction}, key`;
    const query = `SELECT key, ${column} FROM ${sqlName}${sql} ORDER BY ${order} LIMIT ? OFFSET ?`;
    const rows = this.read(sqlName, () => this.reading(query).all([...values, limit, offset])) as [string, unknown][];
    return rows.map(([key, value]) => ({ key, order: fromColumn(value) }));
  }

  count(table: string, { where }: StateConditions): number {
    const { sqlName } = this.table(table);
    const { sql, values } = conditionOf(where);
    const query = `SELECT count(*) FROM ${sqlName}${sql}`;
    return this.read(sqlName, () => (this.reading(query).get(values) as [number])[0]);
  }

  lastKey(table: string): string | undefined {
    const { sqlName } = this.table(table);
    return (
      this.read(sqlName, () => (this.reading(`SELECT max(key) FROM ${sqlName}`).get() as [string | null])[0]) ??
      undefined
    );
  }

  save(changes: Iterable<StateChange>, onSaved: () => void): Promise<void> {
    const { writer, inTurn } = this.options;
    return inTurn(async () => {
      writer.exec('BEGIN IMMEDIATE');
      try {
        let sliceEndMs = performance.now() + SLICE_MS;
        for (const { table, key, row } of changes) {
          this.write(this.table(table), key, row);
          if (performance.now() < sliceEndMs) continue;
          await nextTurn();
          sliceEndMs = performance.now() + SLICE_MS;
        }
        writer.exec('COMMIT');
      } catch (error) {
        if (writer.inTransaction) writer.exec('ROLLBACK');
        throw error;
      }
      onSaved();
      this.options.onSaved();
    });
  }

  async clear(tables: readonly string[]): Promise<void> {
    const { writer, inTurn } = this.options;
    await inTurn(() => tables.forEach((table) => writer.exec(`DELETE FROM ${this.table(table).sqlName}`)));
  }

  private write({ sqlName, fields }: SqlTable, key: string, row: StateRow | undefined): void {
    if (!row) return void this.writing(`DELETE FROM ${sqlName} WHERE key = ?`).run(key);
    const names = ['key', 'value', 'checksum', ...fields.map(columnOf)];
    const places = names.map(() => '?').join(', ');
    const statement = this.writing(`INSERT OR REPLACE INTO ${sqlName} (${names.join(', ')}) VALUES (${places})`);
    statement.run(key, row.value, crc32(row.value), ...row.fields.map(toColumn));
  }

  private read<Result>(place: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      const { file } = this.options;
      writeFileSync(markerOf(file), '');
      throw new StateDamaged(`${file}, ${place}`, error instanceof Error ? error.message : String(error), {
        cause: error,
      });
    }
  }

  private reading(sql: string): Database.Statement {
    return this.prepared(this.options.reader, sql).raw();
  }

  private writing(sql: string): Database.Statement {
    return this.prepared(this.options.writer, sql);
  }

  private prepared(database: Database.Database, sql: string): Database.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  private table(name: string): SqlTable {
    const table = this.options.tables.get(name);
    if (!table) throw new Error(`There is no table ${name} of saved state.`);
    return table;
  }
}
