import { parentPort } from 'node:worker_threads';
import { RefusalError } from '@muster/problems';
import { errorMessage } from '@muster/schema';
import type { DocumentReply } from './document-workers';

interface Request {
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

const reply = (message: DocumentReply): void => parentPort?.postMessage(message);

async function run({ module, name, args }: Request): Promise<void> {
  try {
    const exported: Record<string, unknown> = await import(module);
    const task = exported[name];
    if (typeof task !== 'function') throw new Error(`${module} has no function ${name}.`);
    reply({ result: task(...args) });
  } catch (error) {
    const refusal = error instanceof RefusalError ? { refusal: error.refusal } : {};
    reply({ error: errorMessage(error), ...refusal });
  }
}

parentPort?.on('message', (request: Request) => void run(request));
reply('ready');
