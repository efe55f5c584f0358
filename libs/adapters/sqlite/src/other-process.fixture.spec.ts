import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const OPEN_AND_CLOSE = `
  const database = new (require('libsql'))(process.argv[1]);
  database.exec('SELECT count(*) FROM sqlite_schema');
  database.close();`;

/**
 * Opens and closes a database in another process. SQLite deletes the write-ahead log when the last connection is closed, and the locks
 * show the connections of other processes.
 */
export const openAndCloseElsewhere = async (file: string): Promise<void> => {
  await promisify(execFile)(process.execPath, ['-e', OPEN_AND_CLOSE, file], { cwd: __dirname });
};
