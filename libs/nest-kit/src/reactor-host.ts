import type { MusterEvent } from '@muster/contracts';
import {
  type Concern,
  type Reactor,
  type ReactorOptions,
  type SavedConsumer,
  startReactor,
} from '@muster/event-sourcing';
import type { Requests } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { logUnlessUnavailable, Readiness } from './http-endpoint';
import { EVENT_STORE, type MusterEventStore, REQUESTS } from './platform';

export interface HostedReactions extends Omit<ReactorOptions<MusterEvent>, 'store' | 'requests' | 'onError'> {
  /** Called once after every event that was stored before the start was observed. */
  readonly onLive?: () => void;
}

/**
 * Runs the one reactor of a service from its start to its shutdown. The service is ready when the reactor has observed every
 * event that was stored before the start.
 */
@Injectable()
export class ReactorHost implements OnApplicationShutdown {
  private reactor: Reactor | undefined;
  private saved: SavedConsumer | undefined;
  private live = false;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly readiness: Readiness,
  ) {}

  /** Whether the events that were stored before the start were observed. */
  get isLive(): boolean {
    return this.live;
  }

  start({ onLive, ...reactions }: HostedReactions): void {
    const logger = new Logger(reactions.name);
    this.saved = reactions.saved;
    this.readiness.register(reactions.name, () =>
      this.live ? undefined : `replaying events, at position ${this.position()}`,
    );
    this.reactor = startReactor({
      ...reactions,
      store: this.eventStore,
      requests: this.requests,
      onError: logUnlessUnavailable((text) => logger.warn(text)),
    });
    void this.reactor.caughtUp.then(() => {
      this.live = true;
      onLive?.();
    });
  }

  /** Evaluates a key again without an event. */
  wake(key: string): void {
    this.reactor?.wake(key);
  }

  /** The position of the last observed event; -1 before the first. */
  position(): number {
    return this.reactor?.position() ?? -1;
  }

  /** Resolves when all events up to the position were observed and processed, except for parked keys. */
  async followed(position: number, concernOf?: () => Concern): Promise<void> {
    await this.reactor?.followed(position, concernOf);
  }

  /** Returns true while a reaction of the key is due or running. */
  isBusy(key: string): boolean {
    return this.reactor?.isBusy(key) ?? false;
  }

  /** Returns why the last reaction of the key failed; undefined when it did not. */
  failureOf(key: string): string | undefined {
    return this.reactor?.parked(key)?.reason;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor?.close();
    await this.saved?.close();
  }
}
