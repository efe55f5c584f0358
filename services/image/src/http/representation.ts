/** What HTTP has to know of bytes before it sends them. */
export interface Representation {
  readonly size: number;
  /** Strong, with its quotes: the same one means the same bytes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** The headers of a request that decide what is sent, in lower case. */
export interface ConditionalHeaders {
  readonly range?: string;
  readonly 'if-range'?: string;
  readonly 'if-match'?: string;
  readonly 'if-unmodified-since'?: string;
  readonly 'if-none-match'?: string;
  readonly 'if-modified-since'?: string;
}

/** HTTP dates have whole seconds. */
export const toHttpDate = (ms: number): string => new Date(ms).toUTCString();
