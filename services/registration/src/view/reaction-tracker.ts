import { Injectable } from '@nestjs/common';

/** Longest time that a reply waits for what follows from its command, in milliseconds. */
export const FOLLOW_UP_WAIT_MS = 500;

interface Waiter {
  readonly key: string;
  readonly position: number;
  readonly resolve: (storedPosition: number) => void;
}

/** Tells a request when the reactions to its events are complete, so that its reply can include them. */
@Injectable()
export class ReactionTracker {
  private readonly waiters = new Map<string, Set<Waiter>>();

  /** A reaction ended that had read every event up to `observedPosition`; `storedPosition`: of its last event, or 0. */
  completed(key: string, observedPosition: number, storedPosition: number): void {
    for (const waiter of this.waiters.get(key) ?? [])
      if (waiter.position <= observedPosition) {
        this.remove(waiter);
        waiter.resolve(storedPosition);
      }
  }

  /**
   * Waits until each of the keys was reacted to with the event at `position` read, at most FOLLOW_UP_WAIT_MS. Returns the
   * position of the last event that the reactions stored, or `position`.
   */
  async after(keys: readonly string[], position: number): Promise<number> {
    const reached = await Promise.all(keys.map((key) => this.one(key, position)));
    return Math.max(position, ...reached);
  }

  private one(key: string, position: number): Promise<number> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.remove(waiter);
        resolve(position);
      }, FOLLOW_UP_WAIT_MS);
      const waiter: Waiter = {
        key,
        position,
        resolve: (storedPosition) => {
          clearTimeout(timer);
          resolve(storedPosition);
        },
      };
      const known = this.waiters.get(key) ?? new Set();
      this.waiters.set(key, known.add(waiter));
    });
  }

  private remove(waiter: Waiter): void {
    const known = this.waiters.get(waiter.key);
    known?.delete(waiter);
    if (known?.size === 0) this.waiters.delete(waiter.key);
  }
}
