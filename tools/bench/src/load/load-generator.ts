import { type Caller, makeCalls, openCaller } from './caller';
import type { LoadRequest, LoadResult } from './load';

let caller: Caller | undefined;

async function obey(order: LoadRequest): Promise<LoadResult | undefined> {
  if ('open' in order) {
    await caller?.close();
    caller = await openCaller(order.open);
    return undefined;
  }
  if (!caller) throw new Error('No endpoint is open.');
  return makeCalls(order.run, caller);
}

/** A separate process, so that creating the load is not counted as work of Muster. It runs one load at a time. */
process.on('message', (order: LoadRequest) => {
  obey(order).then(
    (result) => process.send?.(result ?? {}),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit(0));
