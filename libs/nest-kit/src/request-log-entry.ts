/** The ids by which the log entries of a request are found. */
export interface RequestIds {
  readonly requestId?: string;
  /** The correlation id of the commands of the request. Absent before the first command. */
  readonly correlationId?: string;
}

/**
 * A log entry of a request. The ids are passed explicitly: an `AsyncLocalStorage` would turn on the promise hooks of the
 * process, which took 8 to 10 % of the CPU time of every request.
 */
export class RequestLogEntry {
  readonly ids: RequestIds;

  constructor(
    readonly text: string,
    { requestId, correlationId }: RequestIds,
  ) {
    this.ids = { ...(requestId && { requestId }), ...(correlationId && { correlationId }) };
  }

  /** Returns the text and the ids: `… request=… correlation=…`. */
  toString(): string {
    const { requestId, correlationId } = this.ids;
    return `${this.text}${requestId ? ` request=${requestId}` : ''}${correlationId ? ` correlation=${correlationId}` : ''}`;
  }
}
