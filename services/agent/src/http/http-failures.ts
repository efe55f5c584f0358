/** The service answered, but not with a success. */
export class HttpRefused extends Error {
  readonly status: number;
  /** What the service said, in its own words. */
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

/** There was no answer: not reachable, too slow, or the connection broke. Whether the call was done is unknown. */
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
    // Not JSON: the text itself is the best there is.
  }
  return text.trim().slice(0, REASON_CHARS_MAX) || 'without a reason';
}
