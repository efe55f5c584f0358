/** Properties of a file that its HTTP headers contain. */
export interface Representation {
  readonly size: number;
  /** Strong, including the quotes: equal tags mean equal bytes. */
  readonly etag: string;
  /** Milliseconds since the epoch; 0 when it is unknown. Then no condition with a date applies. */
  readonly modifiedMs: number;
}

/** The request headers that determine the response, with names in lower case. */
export interface ConditionalHeaders {
  readonly range?: string;
  readonly 'if-range'?: string;
  readonly 'if-match'?: string;
  readonly 'if-unmodified-since'?: string;
  readonly 'if-none-match'?: string;
  readonly 'if-modified-since'?: string;
}

/** HTTP dates have a resolution of one second. */
export const toHttpDate = (ms: number): string => new Date(ms).toUTCString();

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A request for more ranges gets the whole file. No known client requests that many. */
const RANGES_MAX = 16;

/**
 * Returns the ranges of a Range header, limited to the size; 'unsatisfiable' when none is inside. Undefined when the
 * header must be ignored: another unit, invalid syntax, too many ranges, or ranges that together are larger than the file.
 */
export function parseByteRanges(header: string, size: number): readonly ByteRange[] | 'unsatisfiable' | undefined {
  const list = /^bytes=(.+)$/i.exec(header.trim())?.[1];
  const parts = list?.split(',').map((part) => part.trim()) ?? [];
  if (parts.length === 0 || parts.length > RANGES_MAX) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of parts) {
    const match = /^(\d*)-(\d*)$/.exec(part);
    const [, first = '', last = ''] = match ?? [];
    if (!match || (first === '' && last === '')) return undefined;
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    const offset = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
    if (offset < end) ranges.push({ offset, length: end - offset });
  }
  if (ranges.reduce((sum, { length }) => sum + length, 0) > size) return undefined;
  return ranges.length === 0 ? 'unsatisfiable' : ranges;
}

/** Part of a body: text of the protocol, or bytes of the file. */
export type Segment = { readonly text: string } | ByteRange;

export interface ResponsePlan {
  readonly status: 200 | 206 | 304 | 412 | 416;
  readonly headers: { readonly [name: string]: string };
  readonly body: readonly Segment[];
  /** The response contains the last byte, and all earlier bytes are part of this or an earlier response. */
  readonly isLastPart: boolean;
}

const MS_PER_SECOND = 1_000;
const CONTENT_TYPE = 'application/octet-stream';

/** Returns the response to a GET request. For HEAD, the body is omitted. */
export function planResponse(request: ConditionalHeaders, thing: Representation): ResponsePlan {
  const { size, etag, modifiedMs } = thing;
  const headers = {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag,
    ...(modifiedMs > 0 && { 'last-modified': toHttpDate(modifiedMs) }),
  };
  if (hasChanged(request, thing))
    return { status: 412, headers: { ...headers, 'content-length': '0' }, body: [], isLastPart: false };
  if (isUnchanged(request, thing)) return { status: 304, headers, body: [], isLastPart: false };
  const isRangeMeant = request.range !== undefined && ifRangeHolds(request['if-range'], thing);
  const ranges = isRangeMeant ? parseByteRanges(request.range ?? '', size) : undefined;
  if (ranges === 'unsatisfiable') {
    const unsatisfiable = { ...headers, 'content-range': `bytes */${size}`, 'content-length': '0' };
    return { status: 416, headers: unsatisfiable, body: [], isLastPart: false };
  }
  if (!ranges) {
    const whole = { ...headers, 'content-type': CONTENT_TYPE, 'content-length': String(size) };
    return { status: 200, headers: whole, body: [{ offset: 0, length: size }], isLastPart: true };
  }
  const [only, ...others] = ranges;
  if (!only || others.length > 0) return severalRanges(ranges, thing, headers);
  return {
    status: 206,
    headers: {
      ...headers,
      'content-type': CONTENT_TYPE,
      'content-range': contentRange(only, size),
      'content-length': String(only.length),
    },
    body: [only],
    // A range without an end is used to resume a download.
    isLastPart: /^bytes=\d+-$/i.test(request.range?.trim() ?? ''),
  };
}

function severalRanges(
  ranges: readonly ByteRange[],
  { size, etag }: Representation,
  headers: { readonly [name: string]: string },
): ResponsePlan {
  const boundary = `muster-${etag.replaceAll('"', '')}`;
  const body = ranges.flatMap((range, index): Segment[] => [
    {
      text: `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Range: ${contentRange(range, size)}\r\n\r\n`,
    },
    range,
  ]);
  body.push({ text: `\r\n--${boundary}--\r\n` });
  const length = body.reduce((sum, segment) => sum + ('text' in segment ? segment.text.length : segment.length), 0);
  return {
    status: 206,
    headers: {
      ...headers,
      'content-type': `multipart/byteranges; boundary=${boundary}`,
      'content-length': String(length),
    },
    body,
    isLastPart: false,
  };
}

/** RFC 9110, 13.2.2: If-Match with strong comparison; If-Unmodified-Since only without it. */
function hasChanged(request: ConditionalHeaders, { etag, modifiedMs }: Representation): boolean {
  const wanted = request['if-match'];
  if (wanted !== undefined) return wanted.trim() !== '*' && !wanted.split(',').some((tag) => tag.trim() === etag);
  const since = Date.parse(request['if-unmodified-since'] ?? '');
  return modifiedMs > 0 && !Number.isNaN(since) && seconds(modifiedMs) > seconds(since);
}

function isUnchanged(request: ConditionalHeaders, { etag, modifiedMs }: Representation): boolean {
  const known = request['if-none-match'];
  if (known !== undefined)
    return known.trim() === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(request['if-modified-since'] ?? '');
  return modifiedMs > 0 && !Number.isNaN(since) && seconds(modifiedMs) <= seconds(since);
}

/** A range is useful only to a client that has the rest of the same bytes. */
function ifRangeHolds(condition: string | undefined, { etag, modifiedMs }: Representation): boolean {
  if (condition === undefined) return true;
  if (/^(W\/)?"/.test(condition.trim())) return condition.trim() === etag;
  return modifiedMs > 0 && seconds(Date.parse(condition)) === seconds(modifiedMs);
}

const seconds = (ms: number): number => Math.floor(ms / MS_PER_SECOND);
const contentRange = ({ offset, length }: ByteRange, size: number): string =>
  `bytes ${offset}-${offset + length - 1}/${size}`;
