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
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Answers a request within this process when one of its services has the subject. All other messages use the bus. The
 * services still subscribe to the bus for agents, other processes and event subscribers. Bodies are passed by
 * reference, and server and caller each create their own object.
 */
export function answerLocally(bus: Requests, report: (subject: string, error: unknown) => void): Requests {
  const served = new Map<string, OnMessage[]>();
  const inProgress = new Set<Promise<unknown>>();

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
    request: async (subject, body, headers, timeoutMs) => {
      const [onMessage, ...others] = served.get(subject) ?? [];
      if (!onMessage || others.length > 0) return bus.request(subject, body, headers, timeoutMs);
      const answer = ask(subject, { subject, body, headers: checkHeaders(headers) }, onMessage);
      const settled: Promise<unknown> = answer.then(
        () => inProgress.delete(settled),
        () => inProgress.delete(settled),
      );
      inProgress.add(settled);
      return withinTimeout(answer, subject, timeoutMs);
    },
    publish: (subject, body, headers) => bus.publish(subject, body, headers),
    subscribe: (subject, onMessage, options) => {
      const subscription = bus.subscribe(subject, onMessage, options);
      if (!options?.queue || WILDCARD.test(subject)) return subscription;
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
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)));
      await Promise.race([Promise.all(inProgress), limit]);
      clearTimeout(timer);
      await bus.close();
    },
  };
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

function withinTimeout<T>(answer: Promise<T>, subject: string, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RequestTimedOut(subject, timeoutMs)), timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
