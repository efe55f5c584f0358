import childProcess, { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually, temporaryDirectory } from '@muster/testing';
import { type RunCommand, runCommand } from './command';
import { collect } from './logs-gather';

const { signal } = new AbortController();
/** Prints 17 MiB and an end to both outputs. */
const PRINT = "const t = 'x'.repeat(17 << 20); process.stdout.write(t + 'end'); process.stderr.write('why');";
const print = (...settings: readonly Parameters<RunCommand>[3][]) =>
  runCommand(process.execPath, ['-e', PRINT], signal, ...settings);

describe('a command that prints more than 16 MiB', () => {
  it('fails with the limit as the reason', async () => {
    const { exitCode, stderr } = await print();
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('more than 16 MiB');
  });

  it('ends, and the end of its output is kept on request', async () => {
    const { exitCode, stdout, stderr } = await print({ keepsEnd: true });
    expect([exitCode, stdout.length, stdout.slice(-4)]).toEqual([0, 16 << 20, 'xend']);
    expect(stderr).toBe('why\nThe program printed more than 16 MiB; the end is kept.');
  });

  it('is a log of which the end is sent, with a note', async () => {
    const run: RunCommand = async (program, _args, _signal, settings) =>
      program === 'dmesg' ? print(settings) : { exitCode: 0, stdout: '' };
    const files = await collect(false, run, signal);
    expect(files['dmesg.logs']?.slice(-4)).toBe('xend');
    expect(files['report.logs']).toMatch(/^dmesg.logs: "dmesg -T" .*exit code 0: why\n.*16 MiB; the end is kept/);
  });

  it('is missing or stopped like each other command', async () => {
    const settings = { keepsEnd: true, timeoutMs: 100 };
    await expect(runCommand('no-such-program', [], signal, settings)).rejects.toThrow('is not installed');
    const stopped = await runCommand(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], signal, settings);
    expect(stopped.exitCode).toBe(124);
  });
});

it('a command whose program is missing leaves no timer, so that the process can end', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await expect(runCommand('no-such-program', [], signal)).rejects.toThrow('is not installed');
  expect(timers()).toBe(before);
});

it('a command ends at its time limit although its program ignores signals', async () => {
  const script = 'trap "" TERM; echo begin; exec sleep 600';
  const run = () => runCommand('sh', ['-c', script], signal, { timeoutMs: 300 });
  let ended = await run();
  // On a busy machine, the time limit may pass before the program ignores signals.
  while (ended.stdout === '') ended = await run();
  expect([ended.exitCode, ended.stdout]).toEqual([124, 'begin\n']);
}, 30_000);

it.each([0, 3])(
  'a command has exceeded its time limit also when its program then ends with exit code %s',
  async (code) => {
    const script = `trap "exit ${code}" TERM; echo begin; while :; do sleep 0.1; done`;
    const run = () => runCommand('sh', ['-c', script], signal, { timeoutMs: 300 });
    let ended = await run();
    // On a busy machine, the time limit may pass before the program handles signals.
    while (ended.stdout === '') ended = await run();
    expect([ended.exitCode, ended.stdout]).toEqual([124, 'begin\n']);
  },
);

it('a command has the exit code of its program, also when another one keeps the output open', async () => {
  const run = async () => {
    const ended = await runCommand('sh', ['-c', 'sleep 600 & echo $!; exit 3'], signal, { timeoutMs: 300 });
    if (ended.stdout !== '') process.kill(Number(ended.stdout), 'SIGKILL');
    return ended;
  };
  let ended = await run();
  // On a busy machine, the time limit may pass before the program ends.
  while (ended.exitCode === 124) ended = await run();
  expect(ended.exitCode).toBe(3);
}, 30_000);

it('a command that is stopped does not keep the process alive, although its program ignores signals', async () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'pid');
  const resources = (names = /^(Process|Pipe)Wrap$/) =>
    process.getActiveResourcesInfo().filter((name) => names.test(name)).length;
  await eventually('the programs of the other tests have ended', () => resources(/^ProcessWrap$/) === 0);
  const before = resources();
  const stop = new AbortController();
  const script = 'trap "" TERM; echo $$ >"$0.part"; mv "$0.part" "$0"; exec sleep 600';
  const ended = runCommand('sh', ['-c', script, file], stop.signal);
  await eventually('the program ignores signals', () => existsSync(file));
  stop.abort();
  await ended;
  try {
    await eventually('nothing of the program is left in this process', () => resources() <= before);
  } finally {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
    directory.remove();
  }
});

it('a command that the system refuses to start fails with the reason', async () => {
  const { exitCode, stderr } = await runCommand('true', ['x'.repeat(1 << 20)], signal);
  expect([exitCode, stderr]).toEqual([-1, 'spawn E2BIG']);
});

it('a command without files for the output of its program fails with the reason', async () => {
  // As Node does it: this process has no streams.
  const spawn = jest.spyOn(childProcess, 'spawn').mockImplementation(() => {
    const refused = new ChildProcess();
    process.nextTick(() => refused.emit('error', Object.assign(new Error('spawn true EMFILE'), { code: 'EMFILE' })));
    return refused;
  });
  const ended = await runCommand('true', [], signal).finally(() => spawn.mockRestore());
  expect(ended).toEqual({ exitCode: -1, stdout: '', stderr: 'spawn true EMFILE' });
});

it('programs start in turns of their own, because hundreds of starts in one turn would delay all other work', async () => {
  const resources = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  await eventually('the programs of the other tests have ended', () => resources() === 0);
  const stop = new AbortController();
  const running = Array.from({ length: 8 }, () => runCommand('sleep', ['600'], stop.signal));
  expect(resources()).toBeLessThanOrEqual(1);
  await turn();
  expect(resources()).toBeLessThanOrEqual(2);
  await eventually('all have started', () => resources() === 8);
  stop.abort();
  expect((await Promise.all(running)).map(({ exitCode }) => exitCode)).toEqual(Array<number>(8).fill(-1));
});
