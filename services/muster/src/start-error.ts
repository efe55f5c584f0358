/** Exit codes of the program. `deploy/README.md` documents them for supervisors. */
export const EXIT_CODES = {
  stopped: 0,
  /** A defect: an unexpected error at start, or an unhandled rejection later. */
  failed: 1,
  /** A setting is missing or not valid, or the command line is wrong. A restart does not help. */
  settings: 2,
  /** The data directory is locked, not writable, or does not match the master key or the event store. */
  dataDirectory: 3,
  /** The address of an endpoint is in use or not available. */
  endpoint: 4,
  /** The event store, the bus, MongoDB or S3 refuses the connection. */
  dependency: 5,
} as const;

export type ExitReason = keyof typeof EXIT_CODES;

/** A start that cannot succeed until something outside of the program changes; the message says what. */
export class StartError extends Error {
  constructor(
    readonly reason: ExitReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StartError';
  }
}
