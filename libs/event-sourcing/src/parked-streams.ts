import type { EventShape, EventStore, RecordedEvent, StreamId } from '@muster/ports';

export interface ParkedStream {
  readonly streamId: StreamId;
  /** The first event that could not be handled. */
  readonly revision: number;
  readonly reason: string;
}

/** What was asked of did not answer: nothing is wrong with the stream, and nothing is parked. */
export class SourceFailed extends Error {
  constructor(override readonly cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.name = 'SourceFailed';
  }
}

/** Streams whose events a projection cannot handle. They are paused with a visible reason; other streams continue. */
export class ParkedStreams {
  private readonly parked = new Map<StreamId, ParkedStream>();

  list(): readonly ParkedStream[] {
    return [...this.parked.values()];
  }

  /**
   * Hands the event to `handle`, or for a parked stream everything since it was parked: with each new event of the stream it
   * is tried again. Answers why it is parked (again), or undefined. Passes SourceFailed on, with everything as before.
   */
  async attempt<Event extends EventShape>(
    event: RecordedEvent<Event>,
    store: EventStore<Event>,
    handle: (event: RecordedEvent<Event>) => Promise<void>,
  ): Promise<string | undefined> {
    const { streamId } = event;
    const before = this.parked.get(streamId);
    if (!before) return this.run(event, handle);
    for await (const page of store.readStream(streamId, before.revision - 1)) {
      for (const missed of page) {
        const reason = missed.revision > event.revision ? undefined : await this.run(missed, handle);
        if (reason) return reason;
      }
    }
    this.parked.delete(streamId);
    return undefined;
  }

  private async run<Event extends EventShape>(
    event: RecordedEvent<Event>,
    handle: (event: RecordedEvent<Event>) => Promise<void>,
  ): Promise<string | undefined> {
    try {
      await handle(event);
      return undefined;
    } catch (error) {
      if (error instanceof SourceFailed) throw error;
      const reason = `${event.type} ${event.streamId}@${event.revision}: ${error instanceof Error ? error.message : String(error)}`;
      this.parked.set(event.streamId, { streamId: event.streamId, revision: event.revision, reason });
      return reason;
    }
  }
}
