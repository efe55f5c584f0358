import { anyAgentSubject, parseAgentSubject } from '@muster/contracts';
import { REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

interface Held {
  readonly release: (isNudged: boolean) => void;
}

/**
 * Polls over HTTP that are not answered yet. An agent without the bus learns of new steps at once: its poll is answered when the
 * service publishes a nudge for the host, or when the hold is over.
 */
@Injectable()
export class HeldPolls implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Map<string, Set<Held>>();
  private subscription: { unsubscribe(): void } | undefined;

  constructor(@Inject(REQUESTS) private readonly requests: Requests) {}

  onApplicationBootstrap(): void {
    this.subscription = this.requests.subscribe(anyAgentSubject('nudge'), ({ subject }) => {
      const ids = parseAgentSubject(subject);
      if (ids) this.release(keyOf(ids.infraEnvId, ids.hostId), true);
    });
  }

  onApplicationShutdown(): void {
    this.subscription?.unsubscribe();
    for (const key of [...this.held.keys()]) this.release(key, false);
  }

  /**
   * Asks, and holds the answer for the seconds that `holdSecondsOf` reads from it. A nudge ends the hold and asks once more; a
   * nudge that arrives while the first question is open counts too.
   */
  async hold<Answer>(
    { infraEnvId, hostId }: { readonly infraEnvId: string; readonly hostId: string },
    ask: () => Promise<Answer>,
    holdSecondsOf: (answer: Answer) => number,
  ): Promise<Answer> {
    const key = keyOf(infraEnvId, hostId);
    let release: Held['release'] = () => undefined;
    const released = new Promise<boolean>((resolve) => (release = resolve));
    const entry: Held = { release };
    const ofHost = this.held.get(key) ?? new Set();
    this.held.set(key, ofHost.add(entry));
    let end: NodeJS.Timeout | undefined;
    try {
      const answer = await ask();
      const seconds = holdSecondsOf(answer);
      if (seconds <= 0) return answer;
      end = setTimeout(() => release(false), seconds * 1_000);
      return (await released) ? await ask() : answer;
    } finally {
      clearTimeout(end);
      ofHost.delete(entry);
      if (ofHost.size === 0 && this.held.get(key) === ofHost) this.held.delete(key);
    }
  }

  /** How many polls wait now. */
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
