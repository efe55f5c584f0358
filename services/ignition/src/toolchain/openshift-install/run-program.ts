import { spawn } from 'node:child_process';

/** What a person gets to read of a program's output. */
const DISPLAYED_CHARACTERS_MAX = 512;
const KEPT_CHARACTERS_MAX = 64 * 1024;

export interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** All that the program sees; nothing of the service's own environment. */
  readonly environment: { readonly [name: string]: string };
  readonly timeoutMs: number;
}

/** The program could not be started, did not end in time, or ended with a failure. */
export class ProgramFailed extends Error {
  constructor(
    readonly why: string,
    /** The end of what it said. */
    readonly output: string,
  ) {
    super(output ? `${why}: ${output}` : why);
    this.name = 'ProgramFailed';
  }
}

/** Resolves when it has ended well. Throws ProgramFailed. */
export function runProgram({ file, args, folder, environment, timeoutMs }: ProgramRun): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    let isLate = false;
    // A group of its own, so that what it started ends with it.
    const child = spawn(file, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS_MAX);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const late = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeoutMs);
    const fail = (why: string): void => reject(new ProgramFailed(why, output.trim().slice(-DISPLAYED_CHARACTERS_MAX)));
    child.once('error', (error) => {
      clearTimeout(late);
      fail(`it could not be started (${error.message})`);
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      if (isLate) fail(`it did not end within ${timeoutMs / 1_000} seconds`);
      else if (code === 0) resolve();
      else fail(code === null ? `it was ended by ${signal}` : `it ended with code ${code}`);
    });
  });
}
