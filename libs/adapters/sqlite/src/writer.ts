import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { throwOutside, Unavailable } from '@muster/ports';
import { DatabaseUnusable } from './database';
import { type WriterAnswer, type WriterRequest, WriteQueue } from './write-queue';
import type { WritesTo, WrittenFile, WrittenKind } from './written-databases';

const ENTRY = join(__dirname, 'writer.entry.js');
/** Maximum number of writes without an answer. Above it, writes are refused. */
const WAITING_WRITES_MAX = 50_000;
/** Requests and their values are short-lived, and values are not on the heap. Without a limit, the thread takes as much as the main thread. */
const YOUNG_GENERATION_MIB = 8;

type Statements = { readonly [name: string]: (...args: never[]) => unknown };

/** The connection that writes to one database. Its writes take effect in their order. */
export interface Writes<To extends Statements> {
  /**
   * Resolves when the write is durable. `onResult` is called before that, in the order of the writes. A `Uint8Array` in `args` may be
   * transferred: the caller must not use it or its buffer afterwards.
   * @throws DatabaseUnusable when the transaction failed. None of its writes is stored.
   * @throws WriterThreadEnded when the thread of the writer ended. The write may be stored.
   */
  run<Name extends keyof To & string>(
    name: Name,
    args: Parameters<To[Name]>,
    onResult?: (result: ReturnType<To[Name]>) => void,
  ): Promise<ReturnType<To[Name]>>;
  /** Moves the write-ahead log into the database file as far as no reader needs it. */
  checkpoint(): Promise<void>;
  /**
   * Moves everything into the database file, so that no copy of a deleted row stays in the write-ahead log. Resolves to false when another
   * process reads or writes: the other databases do not wait for it.
   */
  truncate(): Promise<boolean>;
  /** Resolves when everything is written and the connection is closed. */
  close(): Promise<void>;
}

/** Writes to SQLite databases, in the thread of the caller or in one of its own. */
export interface SqliteWriter {
  /** `onTransaction` is called after the results of each transaction. */
  open<Kind extends WrittenKind>(kind: Kind, file: WrittenFile, onTransaction?: () => void): Writes<WritesTo<Kind>>;
  /** Call it when all databases are closed. */
  close(): Promise<void>;
}

interface Channel {
  post(requests: readonly WriterRequest[]): void;
  /** Whether an answer is expected. */
  expect(isExpected: boolean): void;
  close(): Promise<void>;
}
type OpenChannel = (onAnswers: (answers: readonly WriterAnswer[]) => void, onEnded: (error: Error) => void) => Channel;

/** Writes in the thread of the caller. */
export const writerHere = (): SqliteWriter =>
  createWriter((onAnswers) => {
    const queue = new WriteQueue(onAnswers);
    return {
      post: (requests) => {
        queue.add(requests);
        queue.flush();
      },
      expect: () => undefined,
      close: async () => undefined,
    };
  });

/** The thread that writes ended. Unlike a server, it does not become available again. */
export class WriterThreadEnded extends Unavailable {
  constructor(reason: string, options: ErrorOptions) {
    super('The thread that writes to the SQLite files', reason, { ...options, isOutcomeUnknown: true });
  }
}

export interface WriterThreadOptions {
  /** @default the compiled entry */
  readonly entry?: string;
  /** @default that of the process */
  readonly execArgv?: readonly string[];
  /** Called when the thread ended although it was not closed. @default throws the error outside of any request */
  readonly onEnded?: (error: Error) => void;
}

/** The buffers that are transferred with a request instead of being copied. */
const buffersIn = (request: WriterRequest): ArrayBuffer[] =>
  request.kind === 'write'
    ? request.args.flatMap((arg) =>
        arg instanceof Uint8Array && arg.buffer instanceof ArrayBuffer ? [arg.buffer] : [],
      )
    : [];

/** How long the end of the process waits for its threads that write. */
const EXIT_WAIT_MS = 5_000;
/** Called when the process exits, before it ends its threads: the driver aborts the process when a thread ends while it opens a database. */
const AT_EXIT = new Set<() => void>();
process.once('exit', () => AT_EXIT.forEach((wait) => wait()));

/** Waits until the other thread has counted to the number. */
function waitFor(counter: Int32Array, number: number): void {
  const endsAtMs = performance.now() + EXIT_WAIT_MS;
  for (let count = Atomics.load(counter, 0); count !== number; count = Atomics.load(counter, 0)) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0 || Atomics.wait(counter, 0, count, leftMs) === 'timed-out') return;
  }
}

/**
 * Writes in a thread of its own, so that no other work waits for the disk. Where no compiled entry exists (sources under a test
 * transformer) it is the thread of the caller. When the thread ends by itself, every waiting write fails with an unknown
 * outcome, and the process should end: its caches may not contain what was stored.
 */
export const writerThread = ({
  entry = ENTRY,
  execArgv,
  onEnded: onThreadEnded = throwOutside,
}: WriterThreadOptions = {}): SqliteWriter => {
  if (!existsSync(entry)) return writerHere();
  return createWriter((onAnswers, onEnded) => {
    const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    let posted = 0;
    const worker = new Worker(entry, {
      workerData: answered,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
    worker.unref();
    let isWanted = true;
    const untilIdle = (): void => waitFor(answered, posted);
    AT_EXIT.add(untilIdle);
    const ended = (reason: string, cause?: unknown): void => {
      if (!isWanted) return;
      isWanted = false;
      AT_EXIT.delete(untilIdle);
      const error = new WriterThreadEnded(reason, { cause });
      onEnded(error);
      onThreadEnded(error);
    };
    worker.on('message', onAnswers);
    worker.on('error', (error) => ended(`it ended: ${String(error)}`, error));
    worker.on('exit', (code) => ended(`it ended with code ${code}`));
    return {
      post: (requests) => {
        posted += 1;
        worker.postMessage(requests, requests.flatMap(buffersIn));
      },
      expect: (isExpected) => (isExpected ? worker.ref() : worker.unref()),
      close: async () => {
        isWanted = false;
        AT_EXIT.delete(untilIdle);
        await worker.terminate();
      },
    };
  });
};

interface Pending {
  readonly onResult: (result: unknown) => void;
  readonly settle: (error: Error | undefined, result: unknown) => void;
  readonly onTransaction: () => void;
}

/** Requests of the same turn of the event loop are posted together. */
function createWriter(openChannel: OpenChannel): SqliteWriter {
  const pending = new Map<number, Pending>();
  let waiting: WriterRequest[] = [];
  let nextId = 0;
  let databases = 0;
  let failure: Error | undefined;

  const channel = openChannel(
    (answers) => {
      const transactions = new Set<() => void>();
      for (const answer of answers) {
        const { id } = answer;
        const request = pending.get(id);
        if (!request) continue;
        pending.delete(id);
        transactions.add(request.onTransaction);
        if ('result' in answer) request.onResult(answer.result);
        request.settle(errorIn(answer), 'result' in answer ? answer.result : undefined);
      }
      for (const onTransaction of transactions) onTransaction();
      if (pending.size === 0) channel.expect(false);
    },
    (error) => {
      failure = error;
      for (const { settle } of pending.values()) settle(error, undefined);
      pending.clear();
    },
  );

  const post = (): void => {
    const requests = waiting;
    waiting = [];
    channel.post(requests);
  };

  const send = <Result>(
    request: WriterRequest,
    { onTransaction, onResult = () => undefined }: { onTransaction: () => void; onResult?: (result: Result) => void },
  ): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      if (pending.size === 0) channel.expect(true);
      pending.set(request.id, {
        onTransaction,
        onResult: (result) => onResult(result as Result),
        settle: (error, result) => (error ? reject(error) : resolve(result as Result)),
      });
      if (waiting.length === 0) setImmediate(post);
      waiting.push(request);
    });

  return {
    open: (as, file, onTransaction = () => undefined) => {
      const to = databases++;
      // Each write tries again, and fails with the reason when the database cannot be opened.
      send({ id: nextId++, kind: 'open', to, as, file }, { onTransaction }).catch(() => undefined);
      return {
        run: (name, args, onResult) =>
          pending.size >= WAITING_WRITES_MAX
            ? Promise.reject(new Error(`More than ${WAITING_WRITES_MAX} writes wait for the disk; retry later.`))
            : send({ id: nextId++, kind: 'write', to, name, args }, { onTransaction, onResult }),
        checkpoint: () => send({ id: nextId++, kind: 'checkpoint', to }, { onTransaction }),
        truncate: () => send({ id: nextId++, kind: 'truncate', to }, { onTransaction }),
        close: () => send({ id: nextId++, kind: 'close', to }, { onTransaction }),
      };
    },
    close: () => channel.close(),
  };
}

function errorIn(answer: WriterAnswer): Error | undefined {
  if ('error' in answer) return answer.error;
  return 'explanation' in answer ? new DatabaseUnusable(answer.file, answer.explanation, answer.code) : undefined;
}
