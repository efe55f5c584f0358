import { openCaller } from './caller';
import type { Load } from './load';
import { makeCalls } from './make-calls';

/** A process of its own, so that making the load is not counted as serving it. One load per message. */
process.on('message', (load: Load) => {
  void (async () => {
    const caller = await openCaller(load.door);
    const result = await makeCalls(load, caller);
    await caller.close();
    process.send?.(result);
  })().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.once('disconnect', () => process.exit(0));
