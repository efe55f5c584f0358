/** The service answered, but not with a success. */
export class HttpRefused extends Error {
  readonly status: number;
  /** The reason that the service gave. */
  readonly reason: string;

  constructor(
    call: { readonly method: string; readonly path: string },
    answer: { readonly status: number; readonly body: Buffer },
  ) {
    const reason = reasonOf(answer.body);
    super(`${call.method} ${call.path} was answered ${answer.status}: ${reason}`);
    this.name = 'HttpRefused';
    this.status = answer.status;
    this.reason = reason;
  }
}

/** There was no answer: not reachable, too slow, or the connection broke. Whether the call took effect is unknown. */
export class ServiceUnreachable extends Error {
  constructor(where: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
    super(`No answer from ${where}: ${why}`);
    this.name = 'ServiceUnreachable';
  }
}

const REASON_CHARS_MAX = 500;

/** Both error shapes of the contract, or the page of a router in between. */
function reasonOf(body: Buffer): string {
  const text = body.toString('utf8');
  try {
    const { reason, message } = JSON.parse(text) as { reason?: unknown; message?: unknown };
    if (typeof reason === 'string') return reason;
    if (typeof message === 'string') return message;
  } catch {
    // Not JSON: the text itself is used.
  }
  return text.trim().slice(0, REASON_CHARS_MAX) || 'no reason given';
}
