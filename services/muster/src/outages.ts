import type { Probe, SettingName } from '@muster/nest-kit';
import { Readable } from 'node:stream';
import {
  type EventStore,
  type ObjectAreas,
  type Requests,
  settleWithin,
  Unavailable,
  unavailableIn,
} from '@muster/ports';
import { errorMessage } from '@muster/schema';

/** Interval at which an unavailable server is checked while no request uses it. */
const LOOK_AGAIN_MS = 1_000;
/** A readiness report waits this long for an answer of the server. */
export const PROBE_TIMEOUT_MS = 2_000;
const MS_PER_SECOND = 1_000;
/** Methods that change something on the server. A server without a majority answers reads, but not these. */
const CHANGES: ReadonlySet<unknown> = new Set(['append', 'commit']);
/** The read models may complete a commit when they resume. */
const MAY_CHANGE: ReadonlySet<unknown> = new Set([...CHANGES, 'resume']);

export interface OutageOptions {
  /** Name of the server in the readiness report, such as `event store`. */
  readonly part: string;
  /** The setting with the address of the server. */
  readonly setting: SettingName;
  /** Resolves when the server answers. Without it only successful requests end the outage. */
  readonly check?: () => Promise<unknown>;
  readonly report: (text: string) => void;
}

interface Absence {
  readonly server: string;
  readonly reason: string;
  readonly sinceMs: number;
  failedCommands: number;
}

/** State of one server. Logs one line when it becomes unavailable and one when it is available again. */
export class Outage {
  private absence: Absence | undefined;
  private endedMs = -Infinity;
  private changesInProgress = 0;
  private changeFailedMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private isEnding = false;
  /** Operations in progress, by the function that fails each. */
  private readonly inProgress = new Set<(error: Unavailable) => void>();

  constructor(private readonly options: OutageOptions) {}

  /** The entry of the readiness report. It asks the server, because an idle process would not notice an outage. */
  get probe(): Probe {
    return { part: this.options.part, check: () => this.look() };
  }

  /** Why the server is unavailable, with its address and its setting; undefined while it is available. */
  get reason(): string | undefined {
    if (!this.absence) return undefined;
    const { server, reason } = this.absence;
    return `${server} (${this.options.setting}) has not been available for ${this.seconds()} s: ${reason}`;
  }

  /** The time since which the server is available, in milliseconds since the Unix epoch; the present time while it is not available. */
  get availableSinceMs(): number {
    const nowMs = performance.now();
    return Date.now() - (nowMs - (this.absence ? nowMs : this.endedMs));
  }

  failed({ server, reason }: Pick<Unavailable, 'server' | 'reason'>): void {
    if (this.absence || this.closed) return;
    this.absence = { server, reason, sinceMs: performance.now(), failedCommands: 0 };
    this.options.report(`${server} (${this.options.setting}) is not available: ${reason}`);
    this.failWaiting();
    this.lookAgain();
  }

  /** Counts a command that failed because the server is unavailable. Without `server`: independent of its address. */
  commandFailed(server = this.absence?.server): void {
    if (this.absence?.server === server && this.absence) this.absence.failedCommands += 1;
  }

  answered(): void {
    if (!this.absence) return;
    const { server, failedCommands } = this.absence;
    const commands = failedCommands === 1 ? '1 command' : `${failedCommands} commands`;
    this.options.report(
      `${server} (${this.options.setting}) is available again after ${this.seconds()} s; ${commands} failed meanwhile`,
    );
    this.absence = undefined;
    this.endedMs = performance.now();
    clearTimeout(this.timer);
  }

  /** The process ends: fails the operations that wait for the server while it is unavailable, and later ones. */
  giveUp(): void {
    this.isEnding = true;
    this.failWaiting();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** Returns the port with every failure and success of its methods observed. */
  watch<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function' || name === 'close') return member;
        return (...given: unknown[]): unknown => this.observed(Reflect.apply(member, target, given), name);
      },
    });
  }

  private observed(result: unknown, name: unknown): unknown {
    if (result instanceof Promise) {
      const mayChange = MAY_CHANGE.has(name);
      if (mayChange) this.changesInProgress += 1;
      return this.untilGivenUp(result).then(
        (value: unknown) => {
          if (mayChange) this.changesInProgress -= 1;
          if (CHANGES.has(name)) this.answered();
          else this.readAnswered();
          // The server may freeze while a body is read.
          if (value instanceof Readable) value.on('error', (error) => this.notice(error));
          return value;
        },
        (error: unknown) => {
          if (mayChange) this.changesInProgress -= 1;
          if (mayChange && unavailableIn(error)) this.changeFailedMs = performance.now();
          this.notice(error);
          throw error;
        },
      );
    }
    return isPages(result) ? this.observedPages(result) : result;
  }

  /** Does not end an outage while changes fail, which callers repeat: each of them would be an outage of its own in the log. */
  private readAnswered(): void {
    const isChanging = this.changesInProgress > 0 || performance.now() - this.changeFailedMs < LOOK_AGAIN_MS;
    if (!isChanging) this.answered();
  }

  private async *observedPages(pages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      for await (const page of this.pagesUntilGivenUp(pages)) {
        this.readAnswered();
        yield page;
      }
    } catch (error) {
      this.notice(error);
      throw error;
    }
  }

  /** The operation, or its failure when the process ends while the server is unavailable. */
  private untilGivenUp<Result>(operation: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (): void => void this.inProgress.delete(reject);
      this.inProgress.add(reject);
      operation.then(resolve, reject).finally(end);
      this.failWaiting();
    });
  }

  private async *pagesUntilGivenUp(pages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    const iterator = pages[Symbol.asyncIterator]();
    let isWaiting = false;
    try {
      for (;;) {
        isWaiting = true;
        const next = await this.untilGivenUp(iterator.next());
        isWaiting = false;
        if (next.done) return;
        yield next.value;
      }
    } finally {
      // The end of an iterator that waits for the server would wait too.
      if (!isWaiting) await iterator.return?.();
    }
  }

  private failWaiting(): void {
    if (!this.isEnding || !this.absence) return;
    // A refusal ends the repetitions of a command.
    const options = { isRefused: true, isOutcomeUnknown: true };
    const error = new Unavailable(this.absence.server, 'the process ends', options);
    for (const fail of [...this.inProgress]) fail(error);
  }

  private notice(error: unknown): void {
    const unavailable = unavailableIn(error);
    if (unavailable) this.failed(unavailable);
  }

  private lookAgain(): void {
    const { check } = this.options;
    if (!check) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const looked = check().then(
        () => this.readAnswered(),
        () => undefined,
      );
      void looked.then(() => this.absence && !this.closed && this.lookAgain());
    }, LOOK_AGAIN_MS);
    this.timer.unref();
  }

  private async look(): Promise<string | undefined> {
    const { check, part } = this.options;
    if (this.absence || !check) return this.reason;
    const late = (): Error => new Error(`no answer within ${PROBE_TIMEOUT_MS / MS_PER_SECOND} s`);
    try {
      await settleWithin(PROBE_TIMEOUT_MS, check(), late);
      return undefined;
    } catch (error) {
      this.notice(error);
      return this.reason ?? `the ${part} (${this.options.setting}) does not answer: ${errorMessage(error)}`;
    }
  }

  private seconds(): number {
    return Math.round((performance.now() - (this.absence?.sinceMs ?? performance.now())) / MS_PER_SECOND);
  }
}

const isPages = (result: unknown): result is AsyncIterable<unknown> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

/**
 * Returns the event store with its outages observed. The end of a subscription is also reported to its own listener.
 */
export function watchEventStore(store: EventStore, outage: Outage): EventStore {
  const watched = outage.watch(store);
  return {
    isSoleWriter: store.isSoleWriter,
    append: (streamId, expected, events) => watched.append(streamId, expected, events),
    readStream: (streamId, afterRevision) => watched.readStream(streamId, afterRevision),
    readAll: (afterPosition) => watched.readAll(afterPosition),
    head: () => watched.head(),
    close: () => store.close(),
    subscribe: (afterPosition, onPage, onError) =>
      store.subscribe(afterPosition, onPage, (error) => {
        const unavailable = unavailableIn(error);
        if (unavailable) outage.failed(unavailable);
        onError(error);
      }),
  };
}

/** Returns the areas and their object stores with their outages observed. */
export function watchObjectAreas(areas: ObjectAreas, outage: Outage): ObjectAreas {
  // Opening an area does not ask the server, so its success does not end an outage.
  return { area: async (name) => outage.watch(await areas.area(name)), names: () => outage.watch(areas).names() };
}

/** Subject on which each gateway that serves hosts announces itself. */
const GATEWAY_BEACON = 'gateway.v1.beacon';
const BEACON_INTERVAL_MS = 5_000;
/** After this time without an announcement, no gateway serves hosts. */
const GATEWAY_ABSENT_MS = 3 * BEACON_INTERVAL_MS;

/** Announces a gateway that serves hosts, until the returned function is called. */
export function announceGateway(requests: Pick<Requests, 'publish'>): () => void {
  const announce = (): void => requests.publish(GATEWAY_BEACON, {});
  announce();
  const timer = setInterval(announce, BEACON_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Follows the announcements of the gateways, without which hosts cannot poll. A process that hangs does not receive them either. */
export class Gateways {
  private heardMs = -Infinity;
  private sinceMs = -Infinity;

  constructor(requests: Pick<Requests, 'subscribe'>) {
    requests.subscribe(GATEWAY_BEACON, () => {
      const nowMs = performance.now();
      if (this.isAbsent(nowMs)) this.sinceMs = nowMs;
      this.heardMs = nowMs;
    });
  }

  /** The time since which hosts can reach a gateway, in milliseconds since the Unix epoch; the present time while they cannot. */
  get availableSinceMs(): number {
    const nowMs = performance.now();
    return Date.now() - (this.isAbsent(nowMs) ? 0 : nowMs - this.sinceMs);
  }

  private isAbsent(nowMs: number): boolean {
    return nowMs - this.heardMs > GATEWAY_ABSENT_MS;
  }
}
