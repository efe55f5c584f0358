import { spawn } from 'node:child_process';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, errorMessage } from '@muster/schema';
import type { CommandResult, Host } from './host.port';

const PROGRAM_MISSING_EXIT_CODE = 127;
/** Exit code of a killed program in shells: 128 and the number of the signal. */
const KILLED_EXIT_CODE = 143;
/** Exit code of the program `timeout` after the time limit. */
const TIMEOUT_EXIT_CODE = 124;
/** Time that a program has to end after its time limit, or when the installation is stopped. */
const END_MS_MAX = 5_000;
/** Other errors, such as EIO of a removed medium, do not mean that a file is missing. */
const MISSING = ['ENOENT', 'ENOTDIR'];
/** Maximum size of the output that is kept; the beginning is dropped. */
const OUTPUT_CHARS_MAX = 4 * 1024 * 1024;

/** The file system with the programs is on the medium, except when the whole image is in memory. */
const LOST = 'The program cannot be read. The medium from which this host runs may have been removed.';

const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal) =>
  spawn(program, [...args], { signal, env, stdio: ['ignore', 'pipe', 'pipe'] });

/** The machine on which this process runs. */
export const linuxHost: Host = {
  run: (program, args, { environment, onLine, timeoutMs }, signal) =>
    new Promise<CommandResult>((resolve) => {
      // The output is parsed, so it must not be translated.
      const env = { ...process.env, LC_ALL: 'C', ...environment };
      let child: ReturnType<typeof start>;
      try {
        child = start(program, args, env, signal);
      } catch (error) {
        return resolve({ exitCode: 1, stdout: '', stderr: errorCode(error) === 'EIO' ? LOST : errorMessage(error) });
      }
      // A program that did not start has no streams when no files are left for them.
      if (child.pid === undefined)
        return void child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
          resolve(
            code === 'ENOENT'
              ? { exitCode: PROGRAM_MISSING_EXIT_CODE, stdout: '', stderr: `${program}: command not found` }
              : { exitCode: 1, stdout: '', stderr: message },
          ),
        );
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        const lines = createLineReader(onLine);
        child[name].setEncoding('utf8');
        child[name].on('data', (chunk: string) => {
          output[name] = (output[name] + chunk).slice(-OUTPUT_CHARS_MAX);
          lines.add(chunk);
        });
        child[name].once('end', lines.end);
      }
      let isLate = false;
      const end = (code: number | null): void => {
        clearTimeout(limit);
        if (!isLate) return resolve({ exitCode: code ?? KILLED_EXIT_CODE, ...output });
        const reason = `The program did not end within ${(timeoutMs ?? 0) / 1_000} s. Check whether the disks answer.`;
        resolve({ exitCode: TIMEOUT_EXIT_CODE, stdout: output.stdout, stderr: `${output.stderr}\n${reason}`.trim() });
      };
      // A program that waits for a disk without an answer ignores each signal.
      const abandon = (): void => {
        child.kill('SIGKILL');
        child.unref();
        child.stdout.destroy();
        child.stderr.destroy();
        end(null);
      };
      const stop = (): void => {
        isLate = true;
        child.kill();
        limit = setTimeout(abandon, END_MS_MAX);
      };
      let limit = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
      child.once('error', (error) => {
        clearTimeout(limit);
        if (error.name === 'AbortError') return void (limit = setTimeout(abandon, END_MS_MAX));
        resolve({ exitCode: 1, stdout: '', stderr: error.message });
      });
      child.once('close', end);
    }),
  readFile: async (path) => {
    try {
      return await readFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  },
  writeFile: async (path, content, mode = 0o600) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode });
  },
  exists: (path) =>
    access(path).then(
      () => true,
      (error: unknown) => {
        if (MISSING.includes(errorCode(error) ?? '')) return false;
        throw error;
      },
    ),
  list: async (path) => (await readdir(path).catch(() => [])).sort(),
};

/** Splits at line feeds and carriage returns, because progress output overwrites its line. */
function createLineReader(onLine: ((line: string) => void) | undefined) {
  let rest = '';
  return {
    add: (chunk: string): void => {
      const lines = (rest + chunk).split(/\r?\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) onLine?.(line);
    },
    end: (): void => {
      if (rest !== '') onLine?.(rest);
    },
  };
}
