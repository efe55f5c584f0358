import { execFile, spawn } from 'node:child_process';
import { StepFailed } from '../machine/machine.port';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr?: string;
  /** The beginning of the output is missing. */
  readonly isCut?: boolean;
}

export interface CommandSettings {
  /** @default 60,000 milliseconds */
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

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 60_000;
/** Exit code of the program `timeout` after the time limit. */
export const TIMEOUT_EXIT_CODE = 124;

const TOO_LONG = `The program printed more than ${OUTPUT_BYTES_MAX / 1024 ** 2} MiB`;

export const runCommand: RunCommand = (program, args, signal, settings = {}) => {
  const options = {
    signal,
    timeout: settings.timeoutMs ?? COMMAND_TIMEOUT_MS,
    // The output is parsed, so it must not be translated.
    env: { ...process.env, LC_ALL: 'C', ...settings.environment },
  };
  if (settings.keepsEnd) return runForEnd(program, args, options);
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { ...options, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      if (String(error?.code) === 'ENOENT') return reject(new ProgramMissing(program));
      const isTooLong = String(error?.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
      const exitCode = !error ? 0 : error.killed && !isTooLong ? TIMEOUT_EXIT_CODE : Number(error.code ?? -1);
      resolve({
        exitCode: Number.isNaN(exitCode) ? -1 : exitCode,
        stdout,
        stderr: isTooLong ? `${stderr}\n${TOO_LONG}.`.trim() : stderr,
      });
    });
  });
};

function runForEnd(program: string, args: readonly string[], options: object): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], options);
    const output = { stdout: '', stderr: '' };
    let isCut = false;
    const cut = (text: string): string => {
      isCut ||= text.length > OUTPUT_BYTES_MAX;
      return text.slice(-OUTPUT_BYTES_MAX);
    };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
        // A cut copies the text, so it is not done for each chunk.
        if (output[name].length > 2 * OUTPUT_BYTES_MAX) output[name] = cut(output[name]);
      });
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new ProgramMissing(program));
      else resolve({ exitCode: -1, stdout: output.stdout, stderr: error.message });
    });
    child.once('close', (code) => {
      const [stdout, stderr] = [cut(output.stdout), cut(output.stderr)];
      const exitCode = code ?? (child.killed ? TIMEOUT_EXIT_CODE : -1);
      resolve({ exitCode, stdout, stderr: isCut ? `${stderr}\n${TOO_LONG}; the end is kept.`.trim() : stderr, isCut });
    });
  });
}

/**
 * Runs a program and returns its stdout.
 * @throws StepFailed with the output of the program, ProgramMissing
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
  const said = (stderr.trim() || stdout.trim()).slice(-REASON_CHARS_MAX);
  throw new StepFailed(`"${[program, ...args].join(' ')}" ended with exit code ${exitCode}: ${said}`, exitCode);
}

const REASON_CHARS_MAX = 1_000;

/** Whether the program is installed. */
export async function hasProgram(run: RunCommand, program: string, signal: AbortSignal): Promise<boolean> {
  return run(program, ['--version'], signal).then(
    () => true,
    (error: unknown) => !(error instanceof ProgramMissing),
  );
}
