import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createIgnitionArchive, createRamdisk } from '@muster/boot-image';
import { readInstallConfigOverrides, trustBundleProblem } from '@muster/domain';
import {
  ignitionOverrideProblem,
  manifestContentFault,
  placeManifests,
  planRamdiskNetworks,
  planStaticNetworks,
  poolNamesIn,
  staticNetworkProblem,
  unconfiguredFiles,
} from '@muster/ignition-config';
import { type Refusal, RefusalError } from '@muster/problems';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { readStepReport } from './read-step-report';

/**
 * A pure function of a library that reads a document of a user. Its arguments and result must support structured
 * cloning.
 */
export interface DocumentTask<Args extends readonly unknown[], Result> {
  /** The module that exports the function: a package, or a file in the folder of the worker's entry. */
  readonly module: string;
  readonly name: string;
  readonly run: (...args: Args) => Result;
  /** Field of the request that contains the document. */
  readonly subject: string;
}

export interface DocumentLimits {
  readonly timeMs: number;
  readonly memoryMib: number;
  readonly workers: number;
  /**
   * Maximum length of all documents that wait for a worker, in characters. Not their number: all hosts of a large cluster may send a
   * report at the same time, and a host repeats a refused report only after minutes.
   */
  readonly waitingCharacters: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  timeMs: 8_000,
  memoryMib: 512,
  workers: 2,
  waitingCharacters: 128 * 1024 * 1024,
};
const STACK_MIB = 4;
const ENTRY = join(__dirname, 'document-worker.entry.js');

/** The reply of a worker. `refusal`: the function threw a RefusalError. */
export type DocumentReply =
  'ready' | { readonly result: unknown } | { readonly error: string; readonly refusal?: Refusal };

interface Job {
  readonly task: DocumentTask<never, unknown>;
  readonly args: readonly unknown[];
  readonly characters: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads documents of users in worker threads, so that one document does not delay other requests. A document that
 * exceeds the limit of time or memory is refused, and its worker is replaced. Without a compiled entry (in tests that
 * run TypeScript sources) documents are read in the main thread.
 */
@Injectable()
export class DocumentWorkers implements OnApplicationShutdown {
  private readonly idle: Worker[] = [];
  private readonly waiting: Job[] = [];
  /** Documents that are being read, by the digest of task and arguments. */
  private readonly running = new Map<string, Promise<unknown>>();
  private waitingCharacters = 0;
  private busy = 0;
  private readonly limits: DocumentLimits;
  private readonly entry: string;
  private readonly isCompiled: boolean;

  private constructor(limits: DocumentLimits, entry: string) {
    this.limits = limits;
    this.entry = entry;
    this.isCompiled = existsSync(entry);
  }

  static create(limits: DocumentLimits = DOCUMENT_LIMITS, entry = ENTRY): DocumentWorkers {
    return new DocumentWorkers(limits, entry);
  }

  /**
   * Runs the task in a worker. A request that is repeated meanwhile receives the same result.
   * @throws RefusalError `invalid-input` for a document over the limits, `busy` when too many documents wait.
   */
  run<Args extends readonly unknown[], Result>(task: DocumentTask<Args, Result>, ...args: Args): Promise<Result> {
    const text = JSON.stringify([task.module, task.name, args]);
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.running.get(key);
    const running = known ?? this.runAlone(task, text.length, ...args);
    if (!known) {
      this.running.set(key, running);
      const forget = (): void => void this.running.delete(key);
      running.then(forget, forget);
    }
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key contains the task, and the task determines the type of its result
    return running as Promise<Result>;
  }

  /** As `run`, without the comparison with other requests, which reads the whole document. `characters`: its length. */
  async runAlone<Args extends readonly unknown[], Result>(
    task: DocumentTask<Args, Result>,
    characters: number,
    ...args: Args
  ): Promise<Result> {
    if (!this.isCompiled) return task.run(...args);
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the worker runs `task.run` on these arguments, and a structured clone keeps the type of its result
    return (await this.enqueue(task, args, characters)) as Result;
  }

  private enqueue(task: Job['task'], args: readonly unknown[], characters: number): Promise<unknown> {
    if (this.waiting.length > 0 && this.waitingCharacters + characters > this.limits.waitingCharacters)
      return Promise.reject(
        new RefusalError({ code: 'busy', reason: 'Too many documents wait to be read. Send the request again later.' }),
      );
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, args, characters, resolve, reject });
      this.waitingCharacters += characters;
      this.next();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.waitingCharacters = 0;
    for (const { reject } of this.waiting.splice(0)) reject(new Error('The service stops.'));
    await Promise.all(this.idle.splice(0).map((worker) => worker.terminate()));
  }

  private next(): void {
    if (this.busy >= this.limits.workers) return;
    const job = this.waiting.shift();
    if (!job) return;
    this.waitingCharacters -= job.characters;
    this.busy += 1;
    const worker = this.idle.pop();
    void (worker ? Promise.resolve(worker) : this.start())
      .then((ready) => this.assign(ready, job))
      .catch((error: unknown) => job.reject(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.busy -= 1;
        this.next();
      });
  }

  /** Resolves when the worker has loaded its code, so that loading does not count against the limit of a document. */
  private start(): Promise<Worker> {
    const worker = new Worker(this.entry, {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMib, stackSizeMb: STACK_MIB },
    });
    // A worker that ends is replaced. Without a listener, its error would end the process.
    worker.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', () => {
        worker.off('error', reject);
        resolve(worker);
      });
    });
  }

  private async assign(worker: Worker, { task, args, resolve, reject }: Job): Promise<void> {
    const { timeMs, memoryMib } = this.limits;
    const refuse = (limit: string): RefusalError =>
      new RefusalError({
        code: 'invalid-input',
        reason: `${task.subject} cannot be read within ${limit}. Simplify the document or divide it.`,
        subject: task.subject,
      });
    worker.ref();
    const reply = await new Promise<DocumentReply | Error>((settle) => {
      const fail = (error: Error & { readonly code?: string }): void =>
        done(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? refuse(`${memoryMib} MiB of memory`) : error);
      const late = setTimeout(() => done(refuse(`${timeMs / 1_000} seconds`)), timeMs);
      const done = (found: DocumentReply | Error): void => {
        clearTimeout(late);
        worker.off('message', done).off('error', fail);
        settle(found);
      };
      worker.on('message', done).on('error', fail);
      worker.postMessage({ module: task.module, name: task.name, args });
    });
    if (reply instanceof Error) {
      reject(reply);
      await worker.terminate();
      return;
    }
    worker.unref();
    this.idle.push(worker);
    if (typeof reply === 'object' && 'result' in reply) resolve(reply.result);
    else if (typeof reply === 'object' && reply.refusal) reject(new RefusalError(reply.refusal));
    else reject(new Error(typeof reply === 'object' ? reply.error : `Unexpected reply ${reply}.`));
  }
}

export const documentTask = <Args extends readonly unknown[], Result>(
  module: string,
  subject: string,
  run: (...args: Args) => Result,
): DocumentTask<Args, Result> => ({ module, subject, name: run.name, run });

const STATIC_NETWORKS = 'static_network_config';

/** All documents of users that are read in a worker, because their parser may need much time or memory. */
export const DOCUMENT_TASKS = {
  checkStaticNetworks: documentTask('@muster/ignition-config', STATIC_NETWORKS, staticNetworkProblem),
  planStaticNetworks: documentTask('@muster/ignition-config', STATIC_NETWORKS, planStaticNetworks),
  planRamdiskNetworks: documentTask('@muster/ignition-config', STATIC_NETWORKS, planRamdiskNetworks),
  createRamdisk: documentTask('@muster/boot-image', STATIC_NETWORKS, createRamdisk),
  unconfiguredFiles: documentTask('@muster/ignition-config', STATIC_NETWORKS, unconfiguredFiles),
  checkIgnitionOverride: documentTask('@muster/ignition-config', 'ignition_config_override', ignitionOverrideProblem),
  createIgnitionArchive: documentTask('@muster/boot-image', 'ignition_config_override', createIgnitionArchive),
  checkHostIgnition: documentTask('@muster/ignition-config', 'config', ignitionOverrideProblem),
  readInstallConfigOverrides: documentTask('@muster/domain', 'install_config_overrides', readInstallConfigOverrides),
  checkTrustBundle: documentTask('@muster/domain', 'additional_trust_bundle', trustBundleProblem),
  readStepReport: documentTask('./read-step-report', 'output', readStepReport),
  placeManifests: documentTask('@muster/ignition-config', 'manifests', placeManifests),
  poolNames: documentTask('@muster/ignition-config', 'manifests', poolNamesIn),
  checkManifest: documentTask('@muster/ignition-config', 'content', manifestContentFault),
} as const;
