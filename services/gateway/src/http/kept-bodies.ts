import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { hiddenProperty } from '@muster/schema';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A response body that is kept from answer to answer. */
interface KeptBody {
  readonly tag: string;
  /** Number of answers to clients that accept an encoding. */
  encodableReads: number;
  /** Undefined while the body is being compressed. */
  readonly encoded: Map<Encoding, Buffer | undefined>;
}

/** The compressed bytes of a body leave together with it. */
const keptBody = hiddenProperty<KeptBody>();

/** Shorter bodies are sent faster than they are compressed. */
const ENCODED_MIN_BYTES = 16 * 1024;
/** Compressing 1.4 MB takes 10 ms in another thread, which does not pay for a body that changes at every read. */
const ENCODED_AFTER_READS = 3;
const BROTLI_QUALITY = 4;

const compress: { readonly [encoding in Encoding]: (body: Buffer) => Promise<Buffer> } = {
  br: (body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => gzipAsync(body),
};
const brotliAsync = promisify<Buffer, object, Buffer>(brotliCompress);
const gzipAsync = promisify<Buffer, Buffer>(gzip);

/**
 * Gives the body an entity tag: the digest of its bytes, which must not change. Its answers are conditional, and compressed once it has
 * been read several times. Returns the tag.
 */
export function keepBody(body: Buffer): string {
  const known = keptBody.get(body);
  if (known) return known.tag;
  const tag = hash('sha256', body, 'base64url');
  keptBody.set(body, { tag, encodableReads: 0, encoded: new Map() });
  return tag;
}

/** Answers requests for kept bodies with 304 when the client has them, and with compressed bytes when it accepts them. */
export function answerFromKeptBodies(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const kept = Buffer.isBuffer(payload) && reply.statusCode === 200 ? keptBody.get(payload) : undefined;
    done(null, kept && Buffer.isBuffer(payload) ? representation(request, reply, payload, kept) : payload);
  });
}

/** Returns the bytes to send, and sets their headers; null for 304. */
function representation(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
  kept: KeptBody,
): Buffer | null {
  const encoded = encodedBody(String(headers['accept-encoding'] ?? ''), body, kept);
  const vary = reply.getHeader('vary');
  void reply.headers({
    etag: tagOf(kept, encoded?.encoding),
    // Clients may keep the body, but ask each time whether it is current.
    'cache-control': 'private, no-cache',
    vary: `${vary === undefined ? '' : `${String(vary)}, `}Accept-Encoding, Authorization`,
  });
  if (matches(String(headers['if-none-match'] ?? ''), kept)) {
    reply.removeHeader('content-type');
    void reply.status(304);
    // The hook of Fastify for HEAD removes the body, and needs one for that.
    return method === 'HEAD' ? body : null;
  }
  if (!encoded) return body;
  void reply.header('content-encoding', encoded.encoding);
  return encoded.bytes;
}

/** Representations with different bytes have different tags. */
const tagOf = ({ tag }: KeptBody, encoding: Encoding | undefined): string =>
  encoding ? `"${tag}-${encoding}"` : `"${tag}"`;

/** Any representation of the body counts, because the client has its content. */
function matches(ifNoneMatch: string, kept: KeptBody): boolean {
  if (ifNoneMatch === '') return false;
  const known = [undefined, ...ENCODINGS].map((encoding) => tagOf(kept, encoding));
  return ifNoneMatch.split(',').some((given) => {
    const tag = given.trim().replace(/^W\//, '');
    return tag === '*' || known.includes(tag);
  });
}

function encodedBody(
  accepted: string,
  body: Buffer,
  kept: KeptBody,
): { readonly encoding: Encoding; readonly bytes: Buffer } | undefined {
  if (body.length < ENCODED_MIN_BYTES) return undefined;
  const encoding = ENCODINGS.find((one) => accepts(accepted, one));
  if (!encoding) return undefined;
  const bytes = kept.encoded.get(encoding);
  if (bytes) return { encoding, bytes };
  kept.encodableReads += 1;
  if (kept.encodableReads >= ENCODED_AFTER_READS && !kept.encoded.has(encoding)) void encode(body, kept, encoding);
  return undefined;
}

/** Answers that are sent meanwhile have the plain body. */
async function encode(body: Buffer, { encoded }: KeptBody, encoding: Encoding): Promise<void> {
  encoded.set(encoding, undefined);
  try {
    encoded.set(encoding, await compress[encoding](body));
  } catch {
    // Without memory for the compressed bytes the plain body is sent.
  }
}

/** Whether the `Accept-Encoding` names the encoding, and not with the weight 0. */
const accepts = (header: string, encoding: Encoding): boolean =>
  header.split(',').some((item) => {
    const [name = '', ...parameters] = item.trim().toLowerCase().split(';');
    return name.trim() === encoding && !parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter));
  });
