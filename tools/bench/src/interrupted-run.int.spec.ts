import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';

const BENCH = join(__dirname, '..', 'dist', 'main.js');

/** Starts and is never ready. */
const PROGRAM = `
const { renameSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { PID_FILE: file, REST_PORT: port, MUSTER_DATA_DIRECTORY: folder } = process.env;
writeFileSync(folder + '/events.sqlite', '');
createServer((request, response) => response.writeHead(503).end()).listen(port, '127.0.0.1', () => {
  writeFileSync(file + '.new', String(process.pid));
  renameSync(file + '.new', file);
});
process.on('SIGINT', () => undefined);
`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the benchmarks', () => {
  jest.setTimeout(120_000);
  const folder = temporaryDirectory();
  afterAll(() => folder.remove());

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('end with Muster and remove their files at %s', async (signal) => {
    const tree = join(folder.path, signal);
    const files = join(tree, 'files');
    mkdirSync(files, { recursive: true });
    writeFileSync(join(tree, 'nx.json'), '{}');
    writeFileSync(join(tree, 'package.json'), '{}');
    writeFileSync(join(tree, 'main.js'), PROGRAM);
    const pidFile = join(tree, 'pid');
    const bench = spawn(process.execPath, [BENCH, '--only', 'cost', '--program', join(tree, 'main.js')], {
      env: { ...process.env, TMPDIR: files, PID_FILE: pidFile },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => bench.once('exit', (code, by) => resolve(code ?? by)));
    await eventually('the measured program runs', () => existsSync(pidFile));
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(files)).toEqual([expect.stringMatching(/^muster-bench-/)]);

    bench.kill(signal);
    expect(await ended).toBe(128 + constants.signals[signal]);
    expect(readdirSync(files)).toEqual([]);
    await eventually('the measured program has ended', () => !isRunning(pid));
  });
});
