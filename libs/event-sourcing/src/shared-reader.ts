import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import type { EventShape, RecordedEvent } from '@muster/ports';

/** Pages kept for slower consumers. A consumer that is further behind reads the store separately. */
const WINDOW_PAGES = 8;
/** How long a fast consumer waits for the slowest one before it continues without it. Longer than a save on a busy disk. */
const SLOWEST_WAIT_MS = 15_000;
/** Growth of the heap between two collections while events are read, in percent. A replay makes much garbage that lives for seconds. */
const HEAP_GROWTH_PERCENT = 20;
/** The heuristics of V8, which let the heap grow to four times its content. */
const DEFAULT_HEAP_GROWTH = 0;

/** The setting is one of the process, and the main thread makes most of the garbage. */
const setHeapGrowth = (percent: number): void => {
  if (isMainThread) v8.setFlagsFromString(`--heap-growing-percent=${percent}`);
};

type Page<Event extends EventShape> = readonly RecordedEvent<Event>[];

/** Reads a store once for consumers at close positions. Events are shared, so consumers must not change them. */
export class SharedReader<Event extends EventShape> {
  private window: { readonly after: number; readonly through: number; readonly page: Page<Event> }[] = [];
  private cursor = 0;
  private pages: AsyncIterator<Page<Event>> | undefined;
  private advancing: Promise<boolean> | undefined;
  private readonly consumers = new Set<{ position: number }>();
  private wakeFastest: () => void = () => undefined;

  constructor(
    private readonly readStore: (afterPosition: number) => AsyncIterable<Page<Event>>,
    private readonly slowestWaitMs = SLOWEST_WAIT_MS,
  ) {}

  async *readAll(afterPosition: number): AsyncGenerator<Page<Event>> {
    if (this.consumers.size === 0) {
      this.restartAt(afterPosition);
      setHeapGrowth(HEAP_GROWTH_PERCENT);
    }
    const consumer = { position: afterPosition };
    this.consumers.add(consumer);
    try {
      for (let page = await this.next(afterPosition); page; page = await this.next(consumer.position)) {
        if (page === 'elsewhere') break;
        yield page;
        consumer.position = page.at(-1)?.position ?? consumer.position;
        this.wakeFastest();
      }
      if (this.isElsewhere(consumer.position)) {
        this.leave(consumer);
        yield* this.readStore(consumer.position);
      }
    } finally {
      this.leave(consumer);
    }
  }

  /** Returns the page after the position. Undefined at the end of the store. */
  private async next(position: number): Promise<Page<Event> | 'elsewhere' | undefined> {
    for (;;) {
      const known = this.window.find(({ after, through }) => after <= position && position < through);
      if (known) return known.after === position ? known.page : known.page.filter((one) => one.position > position);
      if (this.isElsewhere(position)) return 'elsewhere';
      const isJoined = this.advancing !== undefined;
      this.advancing ??= this.advance().finally(() => (this.advancing = undefined));
      // A read that another consumer started may miss an event that this consumer has already received.
      if (!(await this.advancing) && !isJoined) return undefined;
    }
  }

  private isElsewhere(position: number): boolean {
    return (
      position !== this.cursor && !this.window.some(({ after, through }) => after <= position && position < through)
    );
  }

  private async advance(): Promise<boolean> {
    await this.slowest();
    try {
      const pages = (this.pages ??= this.readStore(this.cursor)[Symbol.asyncIterator]());
      const { value: page, done } = await pages.next();
      // Another consumer has started a read from its own position. This page does not follow that position.
      if (pages !== this.pages) return true;
      if (done) this.pages = undefined;
      const last = done ? undefined : page.at(-1);
      if (last) {
        this.window.push({ after: this.cursor, through: last.position, page });
        if (this.window.length > WINDOW_PAGES) this.window.shift();
        this.cursor = last.position;
      }
      return !done;
    } catch (error) {
      this.pages = undefined;
      throw error;
    }
  }

  /** Resolves when the oldest page may be removed. Consumers that take too long are ignored. */
  private async slowest(): Promise<void> {
    const oldest = this.window.length >= WINDOW_PAGES ? this.window[0] : undefined;
    if (!oldest) return;
    const slow = (): readonly { position: number }[] =>
      [...this.consumers].filter(({ position }) => position < oldest.through);
    const timer = setTimeout(() => {
      for (const consumer of slow()) this.consumers.delete(consumer);
      this.wakeFastest();
    }, this.slowestWaitMs);
    while (slow().length > 0) await new Promise<void>((resolve) => (this.wakeFastest = resolve));
    clearTimeout(timer);
  }

  private leave(consumer: { position: number }): void {
    this.consumers.delete(consumer);
    this.wakeFastest();
    if (this.consumers.size > 0) return;
    this.restartAt(this.cursor);
    setHeapGrowth(DEFAULT_HEAP_GROWTH);
  }

  private restartAt(position: number): void {
    void this.pages?.return?.();
    this.pages = undefined;
    this.window = [];
    this.cursor = position;
  }
}
