import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { type WriterRequest, WriteQueue } from './write-queue';

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread.');
const queue = new WriteQueue((answers) => port.postMessage(answers));

port.on('message', (requests: readonly WriterRequest[]) => {
  queue.add(requests);
  // Everything that arrived during the last transaction goes into the next one.
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
    queue.add(more.message as readonly WriterRequest[]);
  queue.flush();
});
