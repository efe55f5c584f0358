import { parentPort, workerData } from 'node:worker_threads';
import { moveLog } from './wal-checkpoint';

parentPort?.on('message', () => {
  moveLog(workerData as string);
  parentPort?.postMessage('moved');
});
