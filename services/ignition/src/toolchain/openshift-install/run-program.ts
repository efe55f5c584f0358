import { type ChildProcess, spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { MASK } from '@muster/domain';

/** Maximum length of the part of a program's output that an error contains, in characters. */
const DISPLAYED_CHARACTERS_MAX = 512;
const KEPT_CHARACTERS_MAX = 64 * 1024;
/** Time in which the output of a program that has ended is read to its end. */
const REST_OF_OUTPUT_MS = 1_000;
const KIBIBYTE = 1024;
/** Unit of `ulimit -f` in a POSIX shell. */
const FILE_BLOCK_BYTES = 512;
/** Exit codes of a POSIX shell when `exec` fails. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);

/** Limits of a program and of the processes that it starts. */
export interface ProgramLimits {
  readonly cpuSeconds: number;
  /** Address space of one process. */
  readonly memoryBytes: number;
  /** Size of one file. */
  readonly fileBytes: number;
  /** Standard output and standard error together. */
  readonly outputBytes: number;
  /** Another user than the service's. Undefined where the service may not change the user. */
  readonly user?: { readonly uid: number; readonly processes: number };
}

export interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The whole environment of the program. It gets none of the service's own variables. */
  readonly environment: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly limits?: ProgramLimits;
  /** Texts that an error does not contain, although the program may print them. */
  readonly secrets?: readonly string[];
  /** Ends the program. */
  readonly signal?: AbortSignal | undefined;
}

/** The program could not be started, exceeded a limit, or ended with an error. */
export class ProgramFailed extends Error {
  constructor(
    readonly why: string,
    /** The end of its output, without secrets. */
    readonly output: string,
  ) {
    super(output ? `${why}: ${output}` : why);
    this.name = 'ProgramFailed';
  }
}

/** Resolves when the program has ended with code 0. @throws ProgramFailed */
export function runProgram(run: ProgramRun): Promise<void> {
  const { folder, environment, timeoutMs, limits, secrets = [], signal: ending } = run;
  const [file, ...args] = limits ? limitedCommand(run, limits) : [run.file, ...run.args];
  return new Promise((resolve, reject) => {
    ending?.throwIfAborted();
    let output = '';
    let outputBytes = 0;
    let stopped: string | undefined;
    // A process group of its own, so that the processes it started end with it.
    const child: ChildProcess = spawn(file, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      ...(limits?.user && { uid: limits.user.uid, gid: limits.user.uid }),
    });
    const watch = child.stdio[3];
    watch?.on('error', () => undefined);
    let rest: NodeJS.Timeout | undefined;
    child.once('exit', () => {
      if (watch instanceof Writable) watch.end('ended\n');
      // Processes that the program left behind would keep running otherwise.
      if (child.pid !== undefined) killGroup(child.pid);
      // Those outside of the group may hold the pipes of the output, which would never close.
      rest = setTimeout(() => child.stdio.forEach((pipe) => pipe?.destroy()), REST_OF_OUTPUT_MS);
    });
    const stop = (why: string): void => {
      stopped ??= why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS_MAX);
      outputBytes += chunk.length;
      if (limits && outputBytes > limits.outputBytes) stop(`it wrote more than ${limits.outputBytes} bytes of output`);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const late = setTimeout(() => stop(`it did not end within ${timeoutMs / 1_000} seconds`), timeoutMs);
    const endEarly = (): void => stop('it is no longer wanted');
    ending?.addEventListener('abort', endEarly);
    const endWatching = (): void => {
      clearTimeout(late);
      ending?.removeEventListener('abort', endEarly);
    };
    const fail = (why: string): void => {
      // The end may begin within a secret, so secrets are masked before.
      const shown = masked(output, secrets).trim().slice(-DISPLAYED_CHARACTERS_MAX).toWellFormed();
      reject(new ProgramFailed(why, shown));
    };
    child.once('error', (error) => {
      endWatching();
      fail(`it could not be started (${error.message})`);
    });
    child.once('close', (code, signal) => {
      endWatching();
      clearTimeout(rest);
      if (stopped) fail(stopped);
      else if (code === 0) resolve();
      else if (limits && NOT_STARTED.has(code)) fail(`it could not be started (code ${code})`);
      else fail(code === null ? `it was ended by ${signal}` : `it ended with code ${code}`);
    });
  });
}

/** A shorter text would mask parts of the message. */
const MASKED_CHARACTERS_MIN = 3;

/** Go programs print a value in quotes, and their log prints the message in quotes again. */
function masked(output: string, secrets: readonly string[]): string {
  const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
  return [...new Set(secrets.flatMap((text) => [text, quoted(text), quoted(quoted(text))]))]
    .filter((text) => text.length >= MASKED_CHARACTERS_MIN)
    .sort((first, second) => second.length - first.length)
    .reduce((left, text) => left.replaceAll(text, MASK), output);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has ended.
  }
}

/** Ends every process of a user that only this service uses, including those that left their process group. */
export function endProcessesOf(uid: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', 'kill -KILL -1 2>/dev/null; exit 0'], { uid, gid: uid, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/**
 * Sets the limits and replaces itself by the program. `ulimit` counts processes with -u in bash and with -p in dash and busybox.
 * Beside the program runs a process that ends the process group when the pipe from the service closes without a line. So a program whose
 * service was killed does not write into the folder of the next run.
 */
const SET_LIMITS = `ulimit -t "$1" && ulimit -v "$2" && ulimit -f "$3" || exit 1
[ "$4" = 0 ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" || exit 1
shift 4
{ read -r line <&3 || kill -KILL 0; } >/dev/null 2>&1 &
exec "$@" 3<&-`;

function limitedCommand({ file, args }: ProgramRun, limits: ProgramLimits): readonly [string, ...string[]] {
  const { cpuSeconds, memoryBytes, fileBytes, user } = limits;
  const values = [
    cpuSeconds,
    Math.floor(memoryBytes / KIBIBYTE),
    Math.floor(fileBytes / FILE_BLOCK_BYTES),
    // The kernel counts the processes of the user, so the limit is used only with a user of its own.
    user?.processes ?? 0,
  ];
  return ['/bin/sh', '-c', SET_LIMITS, 'sh', ...values.map(String), file, ...args];
}
