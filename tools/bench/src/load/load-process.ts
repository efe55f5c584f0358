import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Transport, Load, LoadRequest, LoadResult } from './load';

/** One order at a time. */
export interface LoadProcess {
  /** The calls to come go through this endpoint. */
  open(endpoint: Transport): Promise<void>;
  /** Throws when any call failed: figures of refusals would mean nothing. */
  run(load: Load): Promise<LoadResult>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(join(__dirname, 'load-generator.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const order = <Answer>(what: LoadRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`The load generator ended with ${code}.`));
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.removeListener('exit', onExit);
        resolve(answer as Answer);
      });
      child.send(what);
    });
  return {
    open: async (endpoint) => void (await order({ open: endpoint })),
    run: async (load) => {
      const result = await order<LoadResult>({ run: load });
      const [failure] = Object.entries(result.failures);
      if (failure) throw new Error(`${failure[1]} of the calls failed: ${failure[0]}`);
      return result;
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}
