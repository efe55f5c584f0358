import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PkiInput } from './certificates.table';
import { createClusterPki } from './cluster-pki';

const ENTRY = join(__dirname, 'pki.entry.js');
/** The thread ends when no cluster was prepared for this time, because it takes 35 MiB after one cluster and 95 MiB after a hundred. */
const IDLE_MS = 30_000;

export type PkiReply = { readonly id: number; readonly text: string } | { readonly id: number; readonly error: string };

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** Where the certificates and keys of clusters are created. */
export interface PkiThread {
  /** Returns the `ClusterPki` as JSON, as it is sealed. @throws Error when the thread ends before */
  create(input: PkiInput): Promise<string>;
}

export interface PkiThreadOptions {
  /** @default the compiled entry */
  readonly entry?: string;
  /** @default that of the process */
  readonly execArgv?: readonly string[];
  /** @default 30 seconds */
  readonly idleMs?: number;
}

/**
 * A thread that creates certificates, which takes 65 ms of CPU per cluster in addition to its RSA key: clusters that start at the
 * same time would delay everything else. It exists only while it is needed. Where no compiled entry exists (sources under a test transformer) it is
 * the thread of the caller.
 */
export function pkiThread({ entry = ENTRY, execArgv, idleMs = IDLE_MS }: PkiThreadOptions = {}): PkiThread {
  if (!existsSync(entry)) return { create: async (input) => JSON.stringify(await createClusterPki(input)) };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  const start = (): Worker => {
    const started = new Worker(entry, { ...(execArgv && { execArgv: [...execArgv] }) });
    started.on('message', (reply: PkiReply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('text' in reply) asked?.resolve(reply.text);
      else asked?.reject(new Error(reply.error));
      if (waiting.size > 0) return;
      started.unref();
      idle = setTimeout(() => {
        worker = undefined;
        void started.terminate();
      }, idleMs).unref();
    });
    const ended = (reason: string): void => {
      if (worker !== started) return;
      worker = undefined;
      clearTimeout(idle);
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    };
    started.on('error', ({ message }) => ended(`The thread that creates certificates failed: ${message}`));
    started.on('exit', (code) => ended(`The thread that creates certificates ended with ${code}.`));
    return started;
  };
  return {
    create: (input) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle);
        worker ??= start();
        worker.ref();
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.postMessage({ id: lastId, input });
      }),
  };
}
