import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type ProgramRun, runProgram } from './run-program';

describe('a program that leaves a process which holds its output', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    process.kill(Number(readFileSync(join(directory.path, 'pid'), 'utf8')), 'SIGKILL');
    directory.remove();
  });

  const running = (end: string): ProgramRun => ({
    file: '/bin/sh',
    // The process leaves the process group, so that the end of the group does not end it.
    args: ['-c', `setsid sh -c 'echo $$ >pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.1; done; ${end}`],
    folder: directory.path,
    environment: { PATH: process.env.PATH ?? '' },
    timeoutMs: 600_000,
  });

  it('succeeds when it ends', async () => {
    await expect(runProgram(running('exit 0'))).resolves.toBeUndefined();
  });

  it('fails with its output', async () => {
    await expect(runProgram(running('echo no such release; exit 3'))).rejects.toThrow(
      'it ended with code 3: no such release',
    );
  });

  it('ends at the limit of time', async () => {
    await expect(runProgram({ ...running('sleep 600'), timeoutMs: 3_000 })).rejects.toThrow(
      'it did not end within 3 seconds',
    );
  });
});

it('a program that fails is described in whole characters', async () => {
  // A compass has two UTF-16 units, so one of these begins where the output is cut.
  for (const first of ['', 'x']) {
    const script = `i=0; while [ $i -lt 3000 ]; do printf 🧭; i=$((i+1)); done; printf '${first}'; exit 3`;
    const run = { file: '/bin/sh', args: ['-c', script], folder: '/', environment: {}, timeoutMs: 600_000 };
    const failure = await runProgram(run).catch((error: Error) => error.message);
    expect(failure).toMatch(/^.*it ended with code 3: .?(🧭){100}/u);
    expect(failure?.isWellFormed()).toBe(true);
  }
});
