import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { FieldValue, StateRow } from '@muster/ports';
import type Database from 'libsql';
import { DamagedRow, type SqlTable } from './state-database';

/** A row of a part. Without `bytes`: a removal. */
type PartRow = readonly [
  statement: number,
  key: string,
  bytes: number | undefined,
  ...fields: (FieldValue | undefined)[],
];

/**
 * A part of a save in the form in which it is posted to the thread that writes: each statement once, and the values as one buffer, which
 * is transferred. A clone of single values costs more than their encoding.
 */
export type StatePart = [statements: readonly string[], rows: readonly PartRow[], values: Uint8Array];

/** Collects the changes of a part. */
export class PartOfSave {
  private readonly statements = new Map<string, number>();
  private readonly rows: PartRow[] = [];
  private readonly values: Uint8Array[] = [];

  add(table: SqlTable, key: string, row: StateRow | undefined): void {
    if (!row) {
      this.rows.push([this.statement(`DELETE FROM ${table.sqlName} WHERE key = ?`), key, undefined]);
      return;
    }
    this.rows.push([this.statement(table.sqlPut), key, row.value.byteLength, ...row.fields]);
    this.values.push(row.value);
  }

  encode(): StatePart {
    // Not Buffer.concat, whose result may be part of the pool of Node and cannot be transferred then.
    const values = new Uint8Array(this.values.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let offset = 0;
    for (const value of this.values) {
      values.set(value, offset);
      offset += value.byteLength;
    }
    return [[...this.statements.keys()], this.rows, values];
  }

  private statement(sql: string): number {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    this.statements.set(sql, this.statements.size);
    return this.statements.size - 1;
  }
}

/** Writes the rows of a part. */
export function writePart([statements, rows, values]: StatePart, prepare: (sql: string) => Database.Statement): void {
  const prepared = statements.map(prepare);
  let offset = 0;
  for (const [statement, key, bytes, ...fields] of rows) {
    if (bytes === undefined) {
      prepared[statement]?.run(key);
      continue;
    }
    const value = values.subarray(offset, offset + bytes);
    offset += bytes;
    prepared[statement]?.run(key, value, crc32(value), ...fields.map(toColumn));
  }
}

/** Booleans are stored as blobs, because SQLite would compare them with numbers. Blobs sort after texts, as booleans must. */
export const toColumn = (value: FieldValue | undefined): string | number | Uint8Array | null =>
  typeof value === 'boolean' ? Uint8Array.of(value ? 1 : 0) : (value ?? null);
/** A column as it is read: a text after an `s`, or JSON with all digits of a number. */
export const asText = (column: string): string =>
  `CASE typeof(${column}) WHEN 'text' THEN 's' || ${column} WHEN 'real' THEN printf('%!.17g', ${column})
   WHEN 'blob' THEN CASE ${column} WHEN X'01' THEN 'true' ELSE 'false' END ELSE CAST(${column} AS TEXT) END`;
export const fromColumn = (read: string | null): FieldValue | undefined => {
  if (read === null) return undefined;
  return read.startsWith('s') ? read.slice(1) : (JSON.parse(read) as FieldValue);
};

/**
 * Returns the value of a row that was read as bytes of JSON, because the driver ends the process for a text that is not UTF-8.
 * Undefined when there is no row.
 * @throws DamagedRow
 */
export function jsonIn<Value>(row: unknown): Value | undefined {
  if (row === undefined) return undefined;
  const [bytes] = row as [Uint8Array];
  if (!isUtf8(bytes)) throw new DamagedRow('a text is not UTF-8');
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Value;
}
