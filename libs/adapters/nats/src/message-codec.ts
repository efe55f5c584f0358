import type { IncomingMessage, JsonValue, MessageHeaders } from '@muster/ports';
import { headers as createHeaders, type Msg, type MsgHdrs } from 'nats';

/** Marks an answer that says only that the handler broke. */
const FAILURE_HEADER = 'muster-failure';

const NO_HEADERS: MessageHeaders = Object.freeze({});
const text = new TextDecoder('utf-8', { fatal: true });

export const encodeBody = (body: JsonValue): Uint8Array => Buffer.from(JSON.stringify(body));

/** Throws SyntaxError or TypeError when the bytes are not JSON in UTF-8. An empty message is null. */
export const decodeBody = (message: Msg): JsonValue =>
  message.data.length === 0 ? null : (JSON.parse(text.decode(message.data)) as JsonValue);

/** Throws when a name or value could be read as more than one header. */
export const encodeHeaders = (headers: MessageHeaders | undefined): MsgHdrs | undefined => {
  let encoded: MsgHdrs | undefined;
  for (const name in headers) {
    encoded ??= createHeaders();
    encoded.set(name.toLowerCase(), headers[name] ?? '');
  }
  return encoded;
};

export const decodeMessage = (message: Msg): IncomingMessage => ({
  subject: message.subject,
  body: decodeBody(message),
  headers: decodeHeaders(message.headers),
});

const decodeHeaders = (headers: MsgHdrs | undefined): MessageHeaders => {
  if (headers === undefined) return NO_HEADERS;
  const decoded: { [name: string]: string } = {};
  for (const [name, values] of headers) decoded[name.toLowerCase()] = values[0] ?? '';
  return decoded;
};

export const failureHeaders = (): MsgHdrs => {
  const headers = createHeaders();
  headers.set(FAILURE_HEADER, 'handler');
  return headers;
};

export const isFailure = (message: Msg): boolean => message.headers?.has(FAILURE_HEADER) ?? false;
