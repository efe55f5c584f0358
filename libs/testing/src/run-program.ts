import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface RunningProgram {
  readonly pid: number;
  /** Lines of its standard output so far, whole ones only. */
  readonly lines: readonly string[];
  /** SIGKILL, then waits until all it had written is read. Idempotent. */
  kill(): Promise<void>;
  /** Waits until it ends by itself; its exit code and what it wrote to standard error. */
  ended(): Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Runs a TypeScript file from source in a process of its own, for tests that kill it. */
export const runProgram = (file: string, args: readonly string[] = []): RunningProgram => {
  const hook = join(__dirname, 'typescript-hook.cjs');
  const child: ChildProcess = spawn(process.execPath, ['-C', 'muster-source', '-r', hook, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let partial = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (partial + chunk).split('\n');
    partial = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-8192);
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void closed.then(() => process.removeListener('exit', killWithUs));
  return {
    pid: child.pid ?? 0,
    lines,
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    ended: async () => ({ code: await closed, errors }),
  };
};
