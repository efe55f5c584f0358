import {
  type IncomingMessage,
  type JsonValue,
  type MessageHeaders,
  RequestFailed,
  type Requests,
  RequestTimedOut,
} from '@muster/ports';

type OnMessage = Parameters<Requests['subscribe']>[1];

/** Characters that would end a header. */
const LINE_BREAK = /[\r\n]/;
const WILDCARD = /[*>]/;
/** Maximum time for which closing waits for open requests. */
const CLOSE_TIMEOUT_MS = 1_500;

/** The connections of a process to the bus. */
export interface BusConnections {
  /** Carries requests, and the subscriptions of queues. */
  readonly requests: Requests;
  /** Carries publications and all other subscriptions. The server does not return its publications to it. */
  readonly live: Requests;
}

/**
 * Answers a request within this process when one of its services has the subject, and delivers publications within this process. All
 * other messages use the bus, where agents, other processes and event subscribers also receive the publications. Bodies are passed by
 * reference: server and caller each create their own object, except from data in its final form, and subscribers must not change the body
 * of a publication.
 */
export function answerLocally(bus: BusConnections, report: (subject: string, error: unknown) => void): Requests {
  const served = new Map<string, OnMessage[]>();
  const inProgress = new Set<Promise<unknown>>();
  const publications = new LocalPublications(report);

  const ask = async (subject: string, message: IncomingMessage, onMessage: OnMessage): Promise<JsonValue> => {
    let answer: JsonValue | void;
    try {
      answer = await onMessage(message);
    } catch (error) {
      report(subject, error);
      throw new RequestFailed(subject);
    }
    // A handler that returns nothing does not answer, as on the bus.
    return answer === undefined ? new Promise<never>(() => undefined) : answer;
  };

  return {
    request: (subject, body, headers, timeoutMs) => {
      const [onMessage, ...others] = served.get(subject) ?? [];
      if (!onMessage || others.length > 0) return bus.requests.request(subject, body, headers, timeoutMs);
      return new Promise((resolve, reject) => {
        const asked = ask(subject, { subject, body, headers: checkHeaders(headers) }, onMessage);
        const timer = setTimeout(() => reject(new RequestTimedOut(subject, timeoutMs)), timeoutMs);
        const end = (): void => {
          clearTimeout(timer);
          inProgress.delete(answered);
        };
        const answered = asked.then(
          (answer) => {
            end();
            resolve(answer);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
        inProgress.add(answered);
      });
    },
    publish: (subject, body, headers) => {
      publications.add({ subject, body, headers: checkHeaders(headers ?? {}) });
      bus.live.publish(subject, body, headers);
    },
    subscribe: (subject, onMessage, options) => {
      if (!options?.queue) {
        const subscription = bus.live.subscribe(subject, onMessage);
        const end = publications.subscribe(subject, onMessage);
        return {
          unsubscribe: () => {
            end();
            subscription.unsubscribe();
          },
        };
      }
      const subscription = bus.requests.subscribe(subject, onMessage, options);
      if (WILDCARD.test(subject)) return subscription;
      served.set(subject, [...(served.get(subject) ?? []), onMessage]);
      return {
        unsubscribe: () => {
          served.set(
            subject,
            (served.get(subject) ?? []).filter((other) => other !== onMessage),
          );
          subscription.unsubscribe();
        },
      };
    },
    close: async () => {
      served.clear();
      publications.close();
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)));
      await Promise.race([Promise.all(inProgress), limit]);
      clearTimeout(timer);
      // In this order: `requests` may still wait for an answer of a subscription of `live`.
      await bus.live.close();
      await bus.requests.close();
    },
  };
}

interface LocalSubscription {
  readonly onMessage: OnMessage;
  readonly matches: (subject: string) => boolean;
}

/** Publications of this process for its own subscribers, delivered in order in the next turn of the event loop. */
class LocalPublications {
  private readonly subscriptions = new Set<LocalSubscription>();
  private waiting: IncomingMessage[] = [];

  constructor(private readonly report: (subject: string, error: unknown) => void) {}

  subscribe(pattern: string, onMessage: OnMessage): () => void {
    const subscription = { onMessage, matches: matcherOf(pattern) };
    this.subscriptions.add(subscription);
    return () => void this.subscriptions.delete(subscription);
  }

  add(message: IncomingMessage): void {
    if (this.waiting.length === 0) setImmediate(() => this.deliver());
    this.waiting.push(message);
  }

  close(): void {
    this.subscriptions.clear();
  }

  private deliver(): void {
    const messages = this.waiting;
    this.waiting = [];
    for (const message of messages)
      for (const { onMessage, matches } of this.subscriptions)
        if (matches(message.subject)) this.call(onMessage, message);
  }

  private call(onMessage: OnMessage, message: IncomingMessage): void {
    try {
      onMessage(message)?.catch((error: unknown) => this.report(message.subject, error));
    } catch (error) {
      this.report(message.subject, error);
    }
  }
}

/** A pattern of NATS: `*` stands for one token, `>` at the end for one or more. */
function matcherOf(pattern: string): (subject: string) => boolean {
  if (!WILDCARD.test(pattern)) return (subject) => subject === pattern;
  const tokens = pattern.split('.').map((token) => token.replace(/[^\w*>-]/g, '\\$&'));
  const expression = tokens.map((token) => (token === '*' ? '[^.]+' : token === '>' ? '.+' : token)).join('\\.');
  const matching = new RegExp(`^${expression}$`);
  return (subject) => matching.test(subject);
}

function checkHeaders(headers: MessageHeaders): MessageHeaders {
  const checked: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (LINE_BREAK.test(value)) throw new Error(`The header ${name} contains a line break.`);
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

/** Simulated losses are reported after this time. A real caller detects a loss only at its timeout. */
const LOSS_NOTICED_MS = 300;

/**
 * A bus that drops a share of all messages, the same messages for the same seed. Tests and demonstrations show with it
 * that no event is lost.
 */
export function lossyRequests(requests: Requests, share: number, seed: number): Requests {
  let state = seed >>> 0 || 1;
  const chance = (): number => {
    // xorshift32: repeatable and sufficiently random.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return {
    request: async (subject, body, headers, timeoutMs) => {
      const fate = chance();
      if (fate >= share) return requests.request(subject, body, headers, timeoutMs);
      // Half of the losses drop the request and half the reply. In the second case the command was executed without a
      // reply.
      if (fate < share / 2) await requests.request(subject, body, headers, timeoutMs).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, Math.min(timeoutMs, LOSS_NOTICED_MS)));
      throw new RequestTimedOut(subject, timeoutMs);
    },
    publish: (subject, body, headers) => {
      if (chance() >= share) requests.publish(subject, body, headers);
    },
    subscribe: (subject, onMessage, options) => requests.subscribe(subject, onMessage, options),
    close: () => requests.close(),
  };
}
