import { execFile } from 'node:child_process';
import { StepFailed } from '../machine/machine.port';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr?: string;
}

export interface CommandSettings {
  /** @default 60,000 milliseconds */
  readonly timeoutMs?: number;
  readonly environment?: { readonly [name: string]: string };
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

export const runCommand: RunCommand = (program, args, signal, settings = {}) =>
  new Promise((resolve, reject) => {
    const options = {
      signal,
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: settings.timeoutMs ?? COMMAND_TIMEOUT_MS,
      // The output is parsed, so it must not be translated.
      env: { ...process.env, LC_ALL: 'C', ...settings.environment },
    };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (String(error?.code) === 'ENOENT') return reject(new ProgramMissing(program));
      const exitCode = !error ? 0 : error.killed ? TIMEOUT_EXIT_CODE : Number(error.code ?? -1);
      resolve({ exitCode: Number.isNaN(exitCode) ? -1 : exitCode, stdout, stderr });
    });
  });

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
