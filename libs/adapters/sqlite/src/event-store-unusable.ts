import Database from 'libsql';

/** The file cannot serve as an event store now; the message says why and what to do. `code` is SQLite's, where it has one. */
export class EventStoreUnusable extends Error {
  constructor(
    readonly file: string,
    explanation: string,
    readonly code?: string,
    options?: ErrorOptions,
  ) {
    super(`Event store ${file}: ${explanation}`, options);
    this.name = 'EventStoreUnusable';
  }
}

const EXPLANATIONS: readonly (readonly [codePrefix: string, explanation: string])[] = [
  ['SQLITE_NOTADB', 'this is not a SQLite database; name another file, or move this one away.'],
  ['SQLITE_CORRUPT', 'the database is damaged; restore it from a backup.'],
  [
    'SQLITE_FULL',
    'the disk, or the size allowed for the file, is full; nothing of the refused append was stored. Free disk space and retry.',
  ],
  ['SQLITE_READONLY', 'the file is read-only for this process; give it write permission.'],
  ['SQLITE_BUSY', 'another process keeps it locked; stop that process, or retry.'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened; check its path and permissions.'],
  ['SQLITE_IOERR', 'the disk failed to read or write; check its health and free space.'],
];

/** Returns the error with a message for operators. Unknown errors pass through unchanged. */
export const explain = (file: string, error: unknown): Error => {
  if (error instanceof EventStoreUnusable) return error;
  if (error instanceof Database.SqliteError) {
    const known = EXPLANATIONS.find(([prefix]) => error.code.startsWith(prefix));
    return new EventStoreUnusable(file, known?.[1] ?? error.message, error.code, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
};
