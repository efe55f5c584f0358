import { statSync } from 'node:fs';
import type { StateConsumer, StateTable } from '@muster/ports';
import Database from 'libsql';
import { codeOf, createFile, DatabaseUnusable, PAGE_BYTES } from './database';

/** Raised when the tables of all consumers or the encoding of rows change. */
const FORMAT_VERSION = 1;
/** Marks the file as saved state of Muster ("MUSS" in ASCII). */
const APPLICATION_ID = 0x4d555353;
const BUSY_TIMEOUT_MS = 5_000;
const MEMORY_FOR_PAGES_KIB = 8 * 1024;

/** A file that is not a saved state of this release. It may be replaced, because its content can be rebuilt from the events. */
class OtherFormat extends Error {}

/** A file that ends within a page. SQLite reads the rest of the page as zeros, so that its rows count as absent. */
class TornFile extends Error {}

/** A row that differs from what was written. */
export class DamagedRow extends Error {}

/** Codes of SQLite for a file that is damaged or shorter than its header says. */
const DAMAGE = /^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/;

export const isDamage = (error: unknown): boolean => {
  if ([OtherFormat, TornFile, DamagedRow].some((kind) => error instanceof kind)) return true;
  if (error instanceof DatabaseUnusable) return DAMAGE.test(error.code ?? '');
  return error instanceof Database.SqliteError && DAMAGE.test(codeOf(error));
};

/**
 * Opens the file, creating it when it is absent or empty. A commit survives the end of the process; after a power failure the
 * file has all commits up to some moment.
 * @throws an error for which `isDamage` is true when the file is damaged or of another format
 */
export function openStateDatabase(file: string): Database.Database {
  createFile(file);
  if (statSync(file).size % PAGE_BYTES !== 0) throw new TornFile('the file ends within a page');
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const version = numberOf(database, 'user_version');
    const isEmpty = (database.prepare('SELECT count(*) FROM sqlite_schema').raw().get() as [number])[0] === 0;
    if (!isEmpty && (version !== FORMAT_VERSION || numberOf(database, 'application_id') !== APPLICATION_ID))
      throw new OtherFormat(`format ${version}, this release has format ${FORMAT_VERSION}`);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    // The state store moves the log into the file when no reader needs it.
    database.pragma('wal_autocheckpoint = 0');
    database.pragma(`cache_size = -${MEMORY_FOR_PAGES_KIB}`);
    if (isEmpty)
      database.exec(`BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS declarations (name TEXT PRIMARY KEY, declared TEXT NOT NULL) STRICT;
        PRAGMA application_id = ${APPLICATION_ID};
        PRAGMA user_version = ${FORMAT_VERSION};
        COMMIT;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const numberOf = (database: Database.Database, pragma: 'user_version' | 'application_id'): number =>
  (database.prepare(`PRAGMA ${pragma}`).get() as { [name: string]: number })[pragma] ?? 0;

/** A declared table with its SQL name. */
export interface SqlTable extends StateTable {
  readonly sqlName: string;
  /** The statement that stores a row. */
  readonly sqlPut: string;
}

/** Checks a name, because it becomes part of SQL statements. */
function nameIn(text: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(text)) throw new Error(`'${text}' cannot name a table or a field of saved state.`);
  return text;
}

export const columnOf = (field: string): string => `f_${nameIn(field)}`;

/** Creates the table unless it exists as declared. */
export function prepareTable(
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
  // As bytes, because the driver ends the process for a text that is not UTF-8.
  const find = database.prepare('SELECT CAST(declared AS BLOB) FROM declarations WHERE name = ?').raw();
  const found = find.get(sqlName) as [Uint8Array] | undefined;
  const isCreated = !found || !Buffer.from(declared).equals(found[0]);
  if (isCreated) {
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(`DROP TABLE IF EXISTS ${sqlName}`);
      for (const statement of create) database.exec(statement);
      database.prepare('INSERT OR REPLACE INTO declarations (name, declared) VALUES (?, ?)').run(sqlName, declared);
      database.exec('COMMIT');
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
  return { table: { ...table, sqlName, sqlPut: putStatement(sqlName, table.fields) }, isCreated };
}

function putStatement(sqlName: string, fields: readonly string[]): string {
  const changed = ['value', 'checksum', ...fields.map(columnOf)];
  const places = ['key', ...changed].map(() => '?').join(', ');
  // An update of a row costs two thirds of INSERT OR REPLACE, which removes it from every index first.
  const update = changed.map((name) => `${name} = excluded.${name}`).join(', ');
  return `INSERT INTO ${sqlName} (key, ${changed.join(', ')}) VALUES (${places}) ON CONFLICT (key) DO UPDATE SET ${update}`;
}
