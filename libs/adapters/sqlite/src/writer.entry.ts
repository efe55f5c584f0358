import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type WriterRequest, WriteQueue } from './write-queue';

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread.');
/** The number of messages whose requests have an answer. */
const answered: unknown = workerData;
const queue = new WriteQueue((answers) => port.postMessage(answers));

port.on('message', (requests: readonly WriterRequest[]) => {
  let messages = 1;
  queue.add(requests);
  // Everything that arrived during the last transaction goes into the next one.
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
    messages += 1;
    queue.add(more.message as readonly WriterRequest[]);
  }
  queue.flush();
  if (!(answered instanceof Int32Array)) return;
  Atomics.add(answered, 0, messages);
  Atomics.notify(answered, 0);
});
