export interface CommandOptions {
  readonly environment?: { readonly [name: string]: string };
  /** Gets each line of stdout and stderr as it is written; a carriage return ends a line too. */
  readonly onLine?: (line: string) => void;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The machine that is installed: its programs and its files. */
export interface Host {
  /** Exit code 127 when there is no such program. */
  run(program: string, args: readonly string[], options: CommandOptions, signal: AbortSignal): Promise<CommandResult>;
  /** Returns undefined when the file does not exist. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Creates the folder too. @default mode 0600 */
  writeFile(path: string, content: string | Buffer, mode?: number): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Returns the names in a folder, sorted; none when there is no such folder. */
  list(path: string): Promise<readonly string[]>;
}

/** A command of the installation ended with another exit code than 0. */
export class CommandFailed extends Error {
  constructor(
    commandLine: string,
    readonly result: CommandResult,
  ) {
    const output = (result.stderr.trim() || result.stdout.trim()).slice(-ERROR_CHARS_MAX);
    super(`"${commandLine}" ended with exit code ${result.exitCode}${output ? `: ${output}` : ''}`);
    this.name = 'CommandFailed';
  }
}

const ERROR_CHARS_MAX = 1_000;

/** Runs a command and returns its stdout. @throws CommandFailed */
export async function execute(
  host: Host,
  [program = '', ...args]: readonly string[],
  signal: AbortSignal,
  options: CommandOptions = {},
): Promise<string> {
  const result = await host.run(program, args, options, signal);
  if (result.exitCode !== 0) throw new CommandFailed([program, ...args].join(' '), result);
  return result.stdout;
}

export interface Retry {
  readonly tries: number;
  readonly intervalMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Calls `attempt` up to `tries` times. @throws what the last try threw */
export async function withRetry<T>(attempt: () => Promise<T>, retry: Retry, signal: AbortSignal): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= retry.tries || signal.aborted) throw error;
      await retry.sleep(retry.intervalMs, signal);
    }
  }
}
