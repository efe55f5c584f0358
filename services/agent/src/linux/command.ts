import { execFile } from 'node:child_process';
import { StepFailed } from '../machine/machine.port';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
}

/** Runs a program of the machine. Throws StepFailed when there is none of that name. */
export type RunCommand = (program: string, args: readonly string[], signal: AbortSignal) => Promise<CommandResult>;

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 60_000;

export const runCommand: RunCommand = (program, args, signal) =>
  new Promise((resolve, reject) => {
    const options = {
      signal,
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: COMMAND_TIMEOUT_MS,
      // Output is parsed: no translations.
      env: { ...process.env, LC_ALL: 'C' },
    };
    execFile(program, [...args], options, (error, stdout) => {
      if (error?.code === ('ENOENT' as never))
        reject(new StepFailed(`The program ${program} is not installed on this machine.`));
      else resolve({ exitCode: error ? Number(error.code ?? -1) : 0, stdout });
    });
  });
