import type { EventEmitter } from 'node:events';
import { anyAgentSubject, parseAgentSubject } from '@muster/contracts';
import { REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';

interface Held {
  readonly release: (isNudged: boolean) => void;
}

/**
 * HTTP polls whose reply is delayed. An agent that does not use the bus receives new steps immediately: its poll is
 * answered when the service publishes a wake-up for the host, or when the delay ends.
 */
@Injectable()
export class HeldPolls implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly held = new Map<string, Set<Held>>();
  private isStopping = false;
  private subscription: { unsubscribe(): void } | undefined;

  constructor(@Inject(REQUESTS) private readonly requests: Requests) {}

  onApplicationBootstrap(): void {
    this.subscription = this.requests.subscribe(anyAgentSubject('nudge'), ({ subject }) => {
      const ids = parseAgentSubject(subject);
      if (ids) this.release(keyOf(ids.infraEnvId, ids.hostId), true);
    });
  }

  // The HTTP server stops afterwards, and closes the connections that are busy for longer than a few seconds.
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    this.subscription?.unsubscribe();
    for (const key of [...this.held.keys()]) this.release(key, false);
  }

  /**
   * Sends a request and delays its reply by the seconds that `holdSecondsOf` returns for it. A wake-up repeats the request,
   * and ends the delay when the new reply has none. A wake-up that arrives during a request has the same effect. The end of the
   * connection ends the delay: a request for an agent that is gone would count as its poll.
   */
  async hold<Answer>(
    { infraEnvId, hostId }: { readonly infraEnvId: string; readonly hostId: string },
    connection: Pick<EventEmitter, 'once' | 'off'> & { readonly destroyed?: boolean },
    ask: () => Promise<Answer>,
    holdSecondsOf: (answer: Answer) => number,
  ): Promise<Answer> {
    const key = keyOf(infraEnvId, hostId);
    let release: Held['release'] = () => undefined;
    const entry: Held = { release: (isNudged) => release(isNudged) };
    const ofHost = this.held.get(key) ?? new Set();
    this.held.set(key, ofHost.add(entry));
    let end: NodeJS.Timeout | undefined;
    // A request may wait for its turn before this, and its client may have disconnected meanwhile.
    let isOver = connection.destroyed === true;
    const leave = (): void => {
      isOver = true;
      release(false);
    };
    connection.once('close', leave);
    try {
      for (;;) {
        const released = new Promise<boolean>((resolve) => (release = resolve));
        const answer = await ask();
        const seconds = holdSecondsOf(answer);
        if (seconds <= 0 || this.isStopping || isOver) return answer;
        // The first reply decides how long the agent waits at most.
        end ??= setTimeout(leave, seconds * 1_000);
        if (!(await released)) return answer;
      }
    } finally {
      clearTimeout(end);
      connection.off('close', leave);
      ofHost.delete(entry);
      if (ofHost.size === 0 && this.held.get(key) === ofHost) this.held.delete(key);
    }
  }

  /** Number of polls whose reply is delayed now. */
  get count(): number {
    let count = 0;
    for (const ofHost of this.held.values()) count += ofHost.size;
    return count;
  }

  private release(key: string, isNudged: boolean): void {
    for (const { release } of this.held.get(key) ?? []) release(isNudged);
  }
}

const keyOf = (infraEnvId: string, hostId: string): string => `${infraEnvId}/${hostId}`;

/** Number of polls of waiting hosts that are answered together. */
export const GROUPED_POLLS_MAX = 16;
/** Time for which a poll waits for others, in milliseconds. The agent of assisted-service v2 gives up after 30 seconds. */
export const GROUPING_MS_MAX = 1_000;
/**
 * Lets tasks start in groups. A task that starts alone takes several times the CPU of one that follows another, because meanwhile the
 * processor has removed its code and data from the caches.
 */
export class Groups {
  private starts: (() => void)[] = [];
  private end: NodeJS.Timeout | undefined;

  constructor(
    private readonly max: number,
    private readonly waitMsMax: number,
  ) {}

  /** Resolves when the group is complete, or when its first task has waited for the maximum time. */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.starts.push(resolve);
      if (this.starts.length >= this.max) this.start();
      else this.end ??= setTimeout(() => this.start(), this.waitMsMax);
    });
  }

  /** Starts the group as it is. */
  start(): void {
    clearTimeout(this.end);
    this.end = undefined;
    const { starts } = this;
    this.starts = [];
    for (const start of starts) start();
  }
}
