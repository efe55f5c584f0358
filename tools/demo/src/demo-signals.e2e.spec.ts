import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';
import { NO_SETTINGS } from './muster-process';

const DEMO_MAIN = join(__dirname, '..', 'dist', 'main.js');

describe('npm run demo', () => {
  jest.setTimeout(120_000);
  const folder = temporaryDirectory();
  afterAll(() => folder.remove());

  const ends = [
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => ({ signal, how: signal, closesOutput: false })),
    { signal: 'SIGPIPE', how: 'the end of the program that reads its output', closesOutput: true },
  ] as const;

  it.each(ends)('ends with Muster and the bus at $how', async ({ signal, closesOutput }) => {
    const directory = join(folder.path, signal);
    mkdirSync(directory);
    const demo = spawn(process.execPath, [DEMO_MAIN], {
      cwd: directory,
      env: { ...process.env, ...NO_SETTINGS, MUSTER_DEMO_DIRECTORY: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => demo.once('exit', (code, by) => resolve(code ?? by)));
    let output = '';
    for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const restUrl = (): string | undefined => /REST on (http:\S+)/.exec(output)?.[1];
    await eventually('the services are ready', () => restUrl() !== undefined);
    const natsPid = join(directory, 'data', 'nats', 'nats-server.pid');
    expect(existsSync(natsPid)).toBe(true);

    if (closesOutput) demo.stdout.destroy();
    else demo.kill(signal);
    expect(await ended).toBe(128 + constants.signals[signal]);
    expect(output).toContain(`demo: ended by ${signal}\n`);
    expect(output).not.toContain('Last output of Muster');
    await expect(fetch(`${restUrl()}/ready`)).rejects.toThrow('fetch failed');
    expect(existsSync(natsPid)).toBe(false);
  });
});
