import type { Probe, SettingName } from '@muster/nest-kit';
import { type EventStore, type Unavailable, unavailableIn } from '@muster/ports';

/** Interval at which an unavailable server is checked while no request uses it. */
const LOOK_AGAIN_MS = 1_000;
const MS_PER_SECOND = 1_000;

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
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: OutageOptions) {}

  /** The entry of the readiness report while the server is unavailable. */
  get probe(): Probe {
    return { part: this.options.part, check: () => Promise.resolve(this.reason) };
  }

  /** Why the server is unavailable, with its address and its setting; undefined while it is available. */
  get reason(): string | undefined {
    if (!this.absence) return undefined;
    const { server, reason } = this.absence;
    return `${server} (${this.options.setting}) has not been available for ${this.seconds()} s: ${reason}`;
  }

  failed({ server, reason }: Pick<Unavailable, 'server' | 'reason'>): void {
    if (this.absence || this.closed) return;
    this.absence = { server, reason, sinceMs: performance.now(), failedCommands: 0 };
    this.options.report(`${server} (${this.options.setting}) is not available: ${reason}`);
    this.lookAgain();
  }

  /** Counts a command that failed because the server is unavailable. */
  commandFailed(server: string): void {
    if (this.absence?.server === server) this.absence.failedCommands += 1;
  }

  answered(): void {
    if (!this.absence) return;
    const { server, failedCommands } = this.absence;
    const commands = failedCommands === 1 ? '1 command' : `${failedCommands} commands`;
    this.options.report(
      `${server} (${this.options.setting}) is available again after ${this.seconds()} s; ${commands} failed meanwhile`,
    );
    this.absence = undefined;
    clearTimeout(this.timer);
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
        return (...given: unknown[]): unknown => this.observed(Reflect.apply(member, target, given));
      },
    });
  }

  private observed(result: unknown): unknown {
    if (result instanceof Promise) {
      return result.then(
        (value: unknown) => {
          this.answered();
          return value;
        },
        (error: unknown) => {
          this.notice(error);
          throw error;
        },
      );
    }
    return isPages(result) ? this.observedPages(result) : result;
  }

  private async *observedPages(pages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      for await (const page of pages) {
        this.answered();
        yield page;
      }
    } catch (error) {
      this.notice(error);
      throw error;
    }
  }

  private notice(error: unknown): void {
    const unavailable = unavailableIn(error);
    if (unavailable) this.failed(unavailable);
  }

  private lookAgain(): void {
    const { check } = this.options;
    if (!check) return;
    this.timer = setTimeout(() => {
      check().then(
        () => this.answered(),
        () => this.absence && !this.closed && this.lookAgain(),
      );
    }, LOOK_AGAIN_MS);
    this.timer.unref();
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
