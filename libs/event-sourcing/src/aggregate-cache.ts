/** A folded stream: its state and where the fold stands. */
export interface Aggregate<State> {
  readonly state: State;
  /** NO_STREAM before the first event. */
  readonly revision: number;
  /** Position of the last event; START_OF_STORE before the first. */
  readonly position: number;
}

/** Aggregate plus what idempotency needs. */
export interface CachedAggregate<State> extends Aggregate<State> {
  readonly commands: CommandLog;
}

/** Most commands remembered per stream; a repetition comes within seconds of the original, not thousands of commands later. */
const MAX_REMEMBERED_COMMANDS = 1_024;

/** The last commands of one stream and where each one ended. */
export class CommandLog {
  private readonly positions = new Map<string, { readonly position: number; readonly revision: number }>();

  find(commandId: string): { readonly position: number; readonly revision: number } | undefined {
    return this.positions.get(commandId);
  }

  remember(commandId: string, position: number, revision: number): void {
    this.positions.set(commandId, { position, revision });
    if (this.positions.size > MAX_REMEMBERED_COMMANDS) {
      const oldest = this.positions.keys().next();
      if (!oldest.done) this.positions.delete(oldest.value);
    }
  }
}

/** The most recently used aggregates. Losing one costs a read, never correctness: appends check the revision. */
export class AggregateCache<State> {
  private readonly entries = new Map<string, CachedAggregate<State>>();

  constructor(private readonly capacity: number) {}

  get(id: string): CachedAggregate<State> | undefined {
    const found = this.entries.get(id);
    if (found) {
      this.entries.delete(id);
      this.entries.set(id, found);
    }
    return found;
  }

  set(id: string, aggregate: CachedAggregate<State>): void {
    this.entries.delete(id);
    this.entries.set(id, aggregate);
    if (this.entries.size > this.capacity) {
      const oldest = this.entries.keys().next();
      if (!oldest.done) this.entries.delete(oldest.value);
    }
  }

  drop(id: string): void {
    this.entries.delete(id);
  }
}
