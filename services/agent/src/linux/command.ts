import { spawn } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withoutCredentials } from '@muster/host-api';
import { errorMessage } from '@muster/schema';
import { StepFailed } from '../machine/machine.port';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr?: string;
  /** The beginning of the output is missing. */
  readonly isCut?: boolean;
}

export interface CommandSettings {
  /**
   * Then the program is stopped. One that does not end is no longer waited for.
   * @default 60,000 milliseconds
   */
  readonly timeoutMs?: number;
  readonly environment?: { readonly [name: string]: string };
  /** Keeps the end of an output above 16 MiB; `stderr` names the limit. Otherwise such a program is stopped. */
  readonly keepsEnd?: boolean;
}

/**
 * Runs a program.
 * @throws ProgramMissing when the program does not exist
 */
export type RunCommand = (
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  settings?: CommandSettings,
) => Promise<CommandResult>;

/** A step needs a program that is not installed. The service receives the name of the program. */
export class ProgramMissing extends StepFailed {
  constructor(readonly program: string) {
    super(`The program ${program} is not installed on this machine.`);
    this.name = 'ProgramMissing';
  }
}

const MEBIBYTE = 1024 ** 2;
const OUTPUT_CHARS_MAX = 16 * MEBIBYTE;
const TOO_LONG = `The program printed more than ${OUTPUT_CHARS_MAX / MEBIBYTE} MiB`;
const COMMAND_TIMEOUT_MS = 60_000;
/** Time that a program has to end after its time limit. */
const END_MS_MAX = 5_000;
/** Exit code of the program `timeout` after the time limit. */
export const TIMEOUT_EXIT_CODE = 124;

const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal) =>
  spawn(program, [...args], { signal, env });

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Returns when a program may start. Programs start one after the other, and other work comes between: each start stops this process
 * for milliseconds.
 */
export const turnToStart = (): Promise<void> => (lastTurn = lastTurn.then(() => nextTurn()));

export const runCommand: RunCommand = async (...command) => {
  await turnToStart();
  return runNow(...command);
};

const runNow: RunCommand = (program, args, signal, settings = {}) =>
  new Promise((resolve, reject) => {
    const { timeoutMs = COMMAND_TIMEOUT_MS, environment, keepsEnd = false } = settings;
    // The output is parsed, so it must not be translated.
    const env = { ...process.env, LC_ALL: 'C', ...environment };
    let child: ReturnType<typeof start>;
    try {
      child = start(program, args, env, signal);
    } catch (error) {
      // The system refused to start it, for example without free memory.
      return resolve({ exitCode: -1, stdout: '', stderr: errorMessage(error) });
    }
    // A program that did not start has no streams when no files are left for them.
    if (child.pid === undefined)
      return void child.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT'
          ? reject(new ProgramMissing(program))
          : resolve({ exitCode: -1, stdout: '', stderr: error.message }),
      );
    const output = { stdout: '', stderr: '' };
    let isTooLong = false;
    const stop = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
      child.kill();
    };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
        const { length } = output[name];
        if (length <= OUTPUT_CHARS_MAX) return;
        isTooLong = true;
        if (!keepsEnd) stop();
        // A cut copies the text, so it is not done for each chunk.
        else if (length > 2 * OUTPUT_CHARS_MAX) output[name] = output[name].slice(-OUTPUT_CHARS_MAX);
      });
    let isLate = false;
    const stopLate = (): void => {
      // Another program may keep the output of one that has ended open.
      isLate = child.exitCode === null && child.signalCode === null;
      child.kill();
    };
    const timers = [setTimeout(stopLate, timeoutMs)];
    child.once('error', (error) => {
      for (const timer of timers) clearTimeout(timer);
      // The end of the agent does not wait for a program that ignores the signal.
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      resolve({ exitCode: -1, stdout: output.stdout, stderr: error.message });
    });
    const end = (code: number | null): void => {
      for (const timer of timers) clearTimeout(timer);
      const [stdout, stderr] = [output.stdout, output.stderr].map((text) => text.slice(-OUTPUT_CHARS_MAX));
      const note = isTooLong ? `\n${TOO_LONG}${keepsEnd ? '; the end is kept' : ''}.` : '';
      const isStopped = isTooLong && !keepsEnd;
      // A program that is stopped may end with any exit code, also with 0.
      const exitCode = isStopped ? -1 : isLate ? TIMEOUT_EXIT_CODE : (code ?? -1);
      resolve({ exitCode, stdout: stdout ?? '', stderr: `${stderr}${note}`.trimStart(), isCut: isTooLong });
    };
    child.once('close', end);
    // A program that waits for a disk without an answer ignores each signal.
    const giveUp = (): void => {
      stop();
      child.kill('SIGKILL');
      child.unref();
      end(child.exitCode);
    };
    timers.push(setTimeout(giveUp, timeoutMs + END_MS_MAX));
  });

/**
 * Runs a program and returns its stdout.
 * @throws StepFailed with the output of the program and without the credentials in URLs, ProgramMissing
 */
export async function execute(
  run: RunCommand,
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  settings: CommandSettings = {},
): Promise<string> {
  const { exitCode, stderr = '', stdout } = await run(program, args, signal, settings);
  if (exitCode === 0) return stdout;
  const line = withoutCredentials([program, ...args].join(' '));
  const beginning = `"${line}" ended with exit code ${exitCode}: `;
  const output = endOf(stderr.trim() || stdout);
  // A program prints the cause last.
  const end = beginning.length < SHOWN_CHARS_MAX / 2 ? output.slice(-(SHOWN_CHARS_MAX - beginning.length)) : output;
  throw new StepFailed(beginning + end, exitCode);
}

/** Returns the end of what a program printed. The cut may be within credentials, so they are removed before. */
export const endOf = (output: string): string => withoutCredentials(output.trim()).slice(-REASON_CHARS_MAX);

const REASON_CHARS_MAX = 1_000;
/** The service shows the beginning of a reason. */
const SHOWN_CHARS_MAX = 500;

/** Whether the program is installed. */
export async function hasProgram(run: RunCommand, program: string, signal: AbortSignal): Promise<boolean> {
  return run(program, ['--version'], signal).then(
    () => true,
    (error: unknown) => !(error instanceof ProgramMissing),
  );
}
