import {
  type EventShape,
  type RecordedEvent,
  type Requests,
  START_OF_STORE,
  type TurnShare,
  Unavailable,
} from '@muster/ports';
import { type Feed, startFeed } from './feed';
import { type Concern, type ParkedKey, type RunAgain, WorkQueue } from './queues';
import { DueKeys } from './saved/due-keys';
import type { SavedConsumer } from './saved/saved-states';
import type { TypedEventStore } from './typed-event-store';

export interface ReactorOptions<Event extends EventShape> {
  readonly name: string;
  readonly store: TypedEventStore<Event>;
  readonly requests: Requests;
  /**
   * Loads what `observe` needs for the event, in steps that may run in several turns of the event loop. Nothing is observed meanwhile.
   * `observe` must not depend on it.
   */
  readonly prepare?: (event: RecordedEvent<Event>) => Iterable<undefined>;
  /**
   * Applies the event to the state that the reaction reads. Runs for every event, in order, before its keys are due.
   * Must not fail.
   */
  readonly observe: (event: RecordedEvent<Event>) => void;
  /** Returns the keys to process because of the event. A key that is already due is processed once. */
  readonly keysOf: (event: RecordedEvent<Event>) => readonly string[];
  /** Processes one key based on the current state. Idempotent, because it may run again at any time. */
  readonly react: (key: string) => Promise<RunAgain | void>;
  /**
   * Returns whether a key from before the start has to be processed. It is called in the turn of the key, after the start, unless the key
   * became due again meanwhile.
   */
  readonly isOpen?: (key: string) => boolean;
  /** Returns the keys of the current state to process after a start, independent of events. */
  readonly openKeys?: () => Iterable<string>;
  /**
   * The saved state of the entries that `observe` changes. It has a fold with the name of the reactor and the table
   * DUE_KEYS.
   */
  readonly saved?: SavedConsumer | undefined;
  /** Called with the key of a reaction that failed, and without one when the events cannot be read. */
  readonly onError: (error: Error, key?: string) => void;
}

export interface Reactor {
  /** Resolves when the events from before the start were observed. Never resolves when the reactor is closed before. */
  readonly caughtUp: Promise<void>;
  /** Processes a key again without an event. */
  wake(key: string): void;
  /** Returns true while a reaction of the key is due or running. */
  isBusy(key: string): boolean;
  /** Returns why the last reaction of the key failed; undefined when it did not. Other keys continue. */
  parked(key: string): ParkedKey | undefined;
  /** Resolves when nothing is due or running. */
  idle(): Promise<void>;
  position(): number;
  /**
   * Resolves when every event up to the position was observed and its keys were processed: all keys, or those of the
   * concern, which is looked up then. After a start, it also waits for the events from before.
   * @throws Unavailable when the reactor is closed: a caller that continued would rely on reactions that did not run
   */
  followed(position: number, concernOf?: () => Concern): Promise<void>;
  close(): Promise<void>;
}

/**
 * Runs effects and processes based on the current state: an event selects the keys, and the state determines the
 * action. The result does not depend on order, repetition or crashes.
 */
export function startReactor<Event extends EventShape>(options: ReactorOptions<Event>): Reactor {
  const { name, saved } = options;
  const past = new Set<string>();
  /** Keys from before the start that are due. They are checked in their turn, because a check may read the entry from the saved state. */
  const unchecked = new Set<string>();
  const react = async (key: string): Promise<RunAgain | void> =>
    !unchecked.delete(key) || (options.isOpen?.(key) ?? true) ? options.react(key) : undefined;
  const queue = new WorkQueue(react, options.onError);
  /** Processes a key without a check. */
  const processAnyway = (key: string): void => {
    unchecked.delete(key);
    queue.add(key);
  };
  let live = false;
  let isClosing = false;
  let announceClosed = (): void => undefined;
  const closed = new Promise<void>((resolve) => (announceClosed = resolve));
  /** Keys that are still due when the reactor is closed. */
  let left: readonly string[] | undefined;
  let observed = saved?.position(name) ?? START_OF_STORE;
  if (saved) {
    const due = new DueKeys(saved.state, () => left ?? (live ? queue.keys() : past));
    for (const key of due.atStart()) past.add(key);
    saved.add(due);
  }
  const waiters = new Set<{ readonly position: number; readonly done: () => void }>();

  const isPrepared = (event: RecordedEvent<Event>): boolean => {
    for (const _ of options.prepare?.(event) ?? []) return false;
    return true;
  };

  /**
   * Observes events while the turn has time, at least one, which is prepared. Their keys are due after all of them, so that several events
   * about one key lead to one reaction. Also after a failure, because observed events are not observed again. Returns the index of the next
   * event.
   */
  const observePart = (page: readonly RecordedEvent<Event>[], from: number, time: TurnShare): number => {
    const due = live ? new Set<string>() : past;
    let next = from;
    try {
      for (
        let event = page[next];
        event && (next === from || (time.hasTime() && isPrepared(event)));
        event = page[next]
      ) {
        options.observe(event);
        for (const key of options.keysOf(event)) due.add(key);
        observed = event.position;
        next += 1;
      }
    } finally {
      if (next > from) follow(due, page[next - 1]);
    }
    return next;
  };

  /** `last`: the last observed event. */
  const follow = (due: ReadonlySet<string>, last: RecordedEvent<Event> | undefined): void => {
    if (due !== past) for (const key of due) processAnyway(key);
    saved?.reached(name, observed, last);
    for (const waiter of waiters) {
      if (waiter.position > observed) continue;
      waiters.delete(waiter);
      waiter.done();
    }
  };

  const loaded = saved ? saved.loadOpen() : Promise.resolve(true);
  const feed: Feed = startFeed({
    name,
    store: options.store,
    requests: options.requests,
    fromPosition: observed,
    onError: options.onError,
    onPage: async (page, time) => {
      // The reactor is closed.
      if (!(await loaded)) return;
      // A page is delivered again after a failure. Views are not idempotent: an event may count the generations of a host.
      const first = page.findIndex(({ position }) => position > observed);
      for (let from = first, event = page[from]; event; event = page[from]) {
        for (const _ of options.prepare?.(event) ?? []) if (!time.hasTime()) await time.nextTurn();
        from = observePart(page, from, time);
        if (from < page.length) await time.nextTurn();
      }
      await saved?.room();
    },
  });

  const caughtUp = Promise.all([feed.caughtUp, loaded]).then(([, isLoaded]) => {
    if (!isLoaded) return new Promise<void>(() => undefined);
    live = true;
    for (const key of options.openKeys?.() ?? []) past.add(key);
    for (const key of past) {
      unchecked.add(key);
      queue.add(key);
    }
    past.clear();
    return undefined;
  });

  return {
    caughtUp,
    wake: processAnyway,
    isBusy: (key) => queue.isBusy(key),
    parked: (key) => queue.parked(key),
    idle: () => queue.idle(),
    position: () => feed.position(),
    followed: async (position, concernOf) => {
      if (!live) await Promise.race([caughtUp, closed]);
      // A closed reactor observes nothing more.
      if (!isClosing && position > observed) await new Promise<void>((done) => waiters.add({ position, done }));
      await queue.worked(concernOf?.());
      if (isClosing) throw new Unavailable(`The service ${name}`, 'it is stopping');
    },
    close: async () => {
      isClosing = true;
      announceClosed();
      await Promise.all([feed.close(), saved?.stopLoading()]);
      for (const { done } of waiters) done();
      waiters.clear();
      left = live ? queue.keys() : [...past];
      await queue.close();
    },
  };
}
