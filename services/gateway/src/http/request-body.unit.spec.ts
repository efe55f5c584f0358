import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { BODY_RATE_GRACE_MS, BODY_RATE_MIN_BYTES_PER_SECOND, limitSlowUpload, readBody } from './request-body';

const SECOND_MS = 1_000;
const SECONDS = (2 * BODY_RATE_GRACE_MS) / SECOND_MS;
const TOO_SLOW = { status: 408, message: expect.stringContaining('1024 bytes per second') };

describe('a body that arrives slowly', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const tick = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(SECOND_MS);
  };

  async function send(bytesPerSecond: number): Promise<unknown> {
    const body = new PassThrough();
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const request = { method: 'POST', raw: Object.assign(body, { headers }), headers };
    const outcome = readBody(request as unknown as FastifyRequest, true).catch((error: unknown) => error);
    for (let second = 0; second < SECONDS; second += 1) {
      body.write(Buffer.alloc(bytesPerSecond, ' '));
      await tick();
    }
    body.end('{}');
    return outcome;
  }

  it('is refused below the minimum of bytes per second', async () => {
    expect(await send(BODY_RATE_MIN_BYTES_PER_SECOND / 2)).toMatchObject(TOO_SLOW);
  });

  it('is accepted above the minimum', async () => {
    expect(await send(BODY_RATE_MIN_BYTES_PER_SECOND * 2)).toEqual([{}]);
  });

  it.each([
    ['fails', 0.5, true],
    ['continues', 2, false],
  ])('is handled in the same way when it is an upload: it %s', async (_, share, fails) => {
    const socket = { bytesRead: 5_000_000 };
    const file = new PassThrough();
    const failed = new Promise((resolve) => file.once('error', resolve));
    const endCheck = limitSlowUpload({ raw: { socket } } as never, (error) => file.destroy(error));
    for (let second = 0; second < SECONDS; second += 1) {
      socket.bytesRead += share * BODY_RATE_MIN_BYTES_PER_SECOND;
      await tick();
    }
    expect(file.destroyed).toBe(fails);
    if (fails) expect(await failed).toMatchObject(TOO_SLOW);
    endCheck();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a body with a Content-Encoding', () => {
  const read = (encoding: string, body: Buffer): Promise<unknown> => {
    const headers = {
      'content-type': 'application/json',
      'content-encoding': encoding,
      'content-length': String(body.length),
    };
    const raw = Object.assign(new PassThrough().end(body), { headers });
    return readBody({ method: 'POST', raw, headers } as unknown as FastifyRequest, true);
  };

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is refused with the encoding when it is compressed: %s', async (encoding, compress) => {
    await expect(read(encoding, compress('{"name":"one"}'))).rejects.toMatchObject({
      status: 415,
      message: `The body with Content-Encoding "${encoding}" is not JSON. Send it without compression.`,
    });
  });

  it.each(['identity', 'utf-8'])('is accepted when it is not compressed: %s', async (encoding) => {
    expect(await read(encoding, Buffer.from('{}'))).toEqual([{}]);
  });
});

describe('a body whose client closes the connection', () => {
  it.each(['Content-Length: 100', 'Transfer-Encoding: chunked'])(
    'is refused as a body that is too short with %s, not as an error of the service',
    async (header) => {
      const server = createServer();
      try {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
        client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`);
        const raw = await new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
        const { method, headers } = raw;
        const outcome = readBody({ method, headers, raw } as unknown as FastifyRequest, true);
        client.destroy();
        await expect(outcome).rejects.toMatchObject({ name: 'SchemaViolation', status: 400 });
      } finally {
        server.close();
      }
    },
  );
});
