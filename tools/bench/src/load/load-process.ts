import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Load, LoadResult } from './load';

export interface LoadProcess {
  readonly pid: number;
  /** One at a time. Throws when any call failed: figures of refusals would mean nothing. */
  run(load: Load): Promise<LoadResult>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(join(__dirname, 'load-generator.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    pid: child.pid ?? 0,
    run: (load) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null): void => reject(new Error(`The load generator ended with ${code}.`));
        child.once('exit', onExit);
        child.once('message', (result: LoadResult) => {
          child.removeListener('exit', onExit);
          const [failure] = Object.entries(result.failures);
          if (failure) reject(new Error(`${failure[1]} of the calls failed: ${failure[0]}`));
          else resolve(result);
        });
        child.send(load);
      }),
    close: () => child.disconnect(),
  };
}
