import { fork } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';

export type Way = 'file' | 'image';

/** One file, served as it is and as an image. */
export interface TwoWays {
  readonly pid: number;
  /** Drains so many downloads at one time; the bytes of all and the time until the last one ended. */
  download(way: Way, parallel: number): Promise<{ readonly bytes: number; readonly ms: number }>;
  /** From the request to the last byte of the range. */
  rangeMs(way: Way, offset: number, length: number): Promise<number>;
  close(): void;
}

export async function startTwoWays(path: string): Promise<TwoWays> {
  const child = fork(join(__dirname, 'two-ways-server.js'), [path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (told) => resolve(Number(told)));
    child.once('exit', (code) => reject(new Error(`The file server ended with ${code}.`)));
  });
  const drain = (way: Way, headers: { readonly [name: string]: string } = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port, path: `/${way}`, headers, agent: false }, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => void (bytes += chunk.length));
        answer.once('end', () => resolve(bytes));
        answer.once('error', reject);
      });
      asked.once('error', reject);
    });
  return {
    pid: child.pid ?? 0,
    download: async (way, parallel) => {
      const startedMs = performance.now();
      const all = await Promise.all(Array.from({ length: parallel }, () => drain(way)));
      return { bytes: all.reduce((sum, bytes) => sum + bytes, 0), ms: performance.now() - startedMs };
    },
    rangeMs: async (way, offset, length) => {
      const startedMs = performance.now();
      const bytes = await drain(way, { range: `bytes=${offset}-${offset + length - 1}` });
      if (bytes !== length) throw new Error(`${bytes} bytes came instead of ${length}.`);
      return performance.now() - startedMs;
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}
