import { withoutCredentials } from '@muster/host-api';

export interface CommandOptions {
  readonly environment?: { readonly [name: string]: string };
  /** Receives each line of stdout and stderr when it is written. A carriage return ends a line too. */
  readonly onLine?: (line: string) => void;
  /**
   * Then the program is stopped, and its exit code is 124. One that does not end, because a disk does not answer, is no longer waited for.
   * @default no limit
   */
  readonly timeoutMs?: number;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The programs and files of the machine that is installed. */
export interface Host {
  /** Returns exit code 127 when the program does not exist. */
  run(program: string, args: readonly string[], options: CommandOptions, signal: AbortSignal): Promise<CommandResult>;
  /** Returns undefined when the file does not exist. */
  readFile(path: string): Promise<Buffer | undefined>;
  /**
   * Creates missing folders.
   * @default mode 0600
   */
  writeFile(path: string, content: string | Buffer, mode?: number): Promise<void>;
  /** @throws Error when the file cannot be looked up, because its medium does not answer */
  exists(path: string): Promise<boolean>;
  /** Returns the sorted names in a folder; empty when the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
}

/** A command ended with an exit code other than 0. The message contains no credentials of URLs. */
export class CommandFailed extends Error {
  constructor(
    commandLine: string,
    readonly result: CommandResult,
  ) {
    // The cut may be within credentials, so they are removed before.
    const output = withoutCredentials(result.stderr.trim() || result.stdout.trim()).slice(-ERROR_CHARS_MAX);
    super(
      `"${shown(withoutCredentials(commandLine))}" ended with exit code ${result.exitCode}${output ? `: ${output}` : ''}`,
    );
    this.name = 'CommandFailed';
  }
}

const ERROR_CHARS_MAX = 1_000;
/** Characters of a long command line that are shown. The service accepts reasons of 2,048 characters, and their end is cut. */
const LINE_CHARS = { first: 400, last: 100 };

const shown = (line: string): string =>
  line.length <= LINE_CHARS.first + LINE_CHARS.last
    ? line
    : `${line.slice(0, LINE_CHARS.first)} … ${line.slice(-LINE_CHARS.last)}`;

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

/**
 * Calls `attempt` up to `tries` times.
 * @throws the error of the last attempt
 */
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
