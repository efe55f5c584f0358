import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { lockFile } from './file-lock';

describe('A locked file', () => {
  let directory: TemporaryDirectory;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory.path, 'lock');
  });
  afterEach(() => directory.remove());

  it.each([
    ['exclusive', 'exclusive', false],
    ['exclusive', 'shared', false],
    ['shared', 'exclusive', false],
    ['shared', 'shared', true],
  ] as const)('with a lock that is %s allows one that is %s: %s', (first, second, isAllowed) => {
    const held = lockFile(file, first);
    const other = lockFile(file, second);
    expect(other !== undefined).toBe(isAllowed);
    other?.release();
    held?.release();
    held?.release();
    const next = lockFile(file, 'exclusive');
    expect(next).toBeDefined();
    next?.release();
  });

  it('is released when its process is killed', async () => {
    const program = `const Database = require('libsql'); const d = new Database(${JSON.stringify(file)}); d.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => d, 1000);`;
    const child = spawn(process.execPath, ['-e', program], { cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(lockFile(file, 'exclusive')).toBeUndefined();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const lock = lockFile(file, 'exclusive');
    expect(lock).toBeDefined();
    lock?.release();
  });
});
