import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { EVENT_MESSAGE_MAX_CHARACTERS, LIST_MAX_ITEMS } from '@muster/assisted-api';
import { portOf } from '@muster/nest-kit';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, HOST_ID } from '../sample-documents.fixture.spec';
import { createFastifyServer, REQUEST_TIME } from './fastify-server';
import { JSON_BODY_MAX_BYTES, PATH_PARAMETER_MAX_CHARACTERS, REQUEST_ID_MAX_CHARACTERS } from './request-body';
import { RouteTable } from './routes';

describe('limits of a request', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({ REQUESTS_PER_SECOND_MAX: '1000000' });
  });
  afterAll(() => gateway.close());

  it('answers 413 to a body that is one byte too large, with or without Content-Length', async () => {
    const raw = `"${'a'.repeat(JSON_BODY_MAX_BYTES - 1)}"`;
    expect(await gateway.call('PUT', `${API}/v2/clusters/${CLUSTER_ID}/ui-settings`, { raw })).toMatchObject({
      status: 413,
      body: { code: 413 },
    });
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(raw));
        controller.close();
      },
    });
    const chunked = await fetch(`${gateway.url}${API}/v2/clusters`, {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it.each([
    [JSON_BODY_MAX_BYTES + 1, /^HTTP\/1\.1 413 /],
    [2, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /],
  ])('answers a client that waits for 100 Continue before it sends %d bytes', async (length, expected) => {
    const { hostname, port } = new URL(gateway.url);
    const headers = ['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue'];
    let answer = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`POST ${API}/v2/clusters HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.endsWith('100 Continue\r\n\r\n')) socket.write('{}');
    });
    await eventually('the request is answered', () => /HTTP\/1\.1 4[^]*}/.test(answer));
    socket.destroy();
    expect(answer).toMatch(expected);
  });

  it('answers 404 to an id that is too long, and repeats only a part of it', async () => {
    const long = 'a'.repeat(4 * PATH_PARAMETER_MAX_CHARACTERS);
    const answer = await gateway.call('GET', `${API}/v2/clusters/${long}`);
    expect([400, 404, 414]).toContain(answer.status);
    expect(answer.text).not.toContain(long);
  });

  it('accepts the longest list of hosts that a query may have', async () => {
    const hosts = Array.from({ length: LIST_MAX_ITEMS }, () => HOST_ID).join('%2C');
    const answer = await gateway.call('GET', `${API}/v2/events?cluster_id=${CLUSTER_ID}&host_ids=${hosts}`);
    expect(answer.status).toBe(200);
    const tooMany = await gateway.call('GET', `${API}/v2/events?cluster_id=${CLUSTER_ID}&host_ids=${hosts},${HOST_ID}`);
    expect(tooMany).toMatchObject({ status: 400, body: { message: expect.stringContaining('1000') as string } });
  });

  it('replaces a request id that is too long', async () => {
    const id = 'a'.repeat(REQUEST_ID_MAX_CHARACTERS);
    const kept = await gateway.call('GET', '/health', { headers: { 'x-request-id': id } });
    expect(kept.headers.get('x-request-id')).toBe(id);
    const replaced = await gateway.call('GET', '/health', { headers: { 'x-request-id': `${id}a` } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('refuses a text that is longer than its field allows with the name of the field', async () => {
    const event = {
      name: 'x',
      severity: 'info',
      category: 'user',
      message: 'm'.repeat(EVENT_MESSAGE_MAX_CHARACTERS + 1),
    };
    expect(await gateway.call('POST', `${API}/v2/events`, { json: event })).toMatchObject({
      status: 400,
      body: { code: 400, message: expect.stringContaining('message') as string },
    });
  });
});

/** The text that a client received over a connection. */
interface Heard {
  answer: string;
  closed: boolean;
}

describe('the body of a refused request', () => {
  const LENGTH = 2 * JSON_BODY_MAX_BYTES;
  const SHORT_BYTES = 512 * 1024;
  const head = (length: number, ...headers: string[]): string =>
    ['POST /nowhere HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${length}`, ...headers]
      .join('\r\n')
      .concat('\r\n\r\n');
  const accepted: Socket[] = [];
  // Each test has a server of its own, because a server reads the rest of one body per second.
  let server: FastifyInstance;
  beforeEach(async () => {
    accepted.splice(0);
    server = createFastifyServer(new RouteTable()).getInstance();
    server.server.on('connection', (socket) => accepted.push(socket));
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  const open = (): { socket: Socket; heard: Heard } => {
    const heard = { answer: '', closed: false };
    const socket = connect(portOf(server.server), '127.0.0.1');
    socket.on('data', (chunk) => (heard.answer += chunk.toString()));
    socket.on('error', () => (heard.closed = true));
    socket.on('close', () => (heard.closed = true));
    return { socket, heard };
  };

  it('is not read when it is long, except for a few clients', async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { socket, heard } = open();
        socket.write(head(LENGTH));
        socket.write(Buffer.alloc(LENGTH));
        await eventually('the request is answered', () => heard.answer.includes('not found'));
        return heard;
      }),
    );
    await eventually('all connections are closed', () => accepted.every(({ closed }) => closed));
    for (const { answer } of clients) expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n/i);
    const readBytes = accepted.map(({ bytesRead }) => bytesRead);
    expect(readBytes.filter((bytes) => bytes > SHORT_BYTES).length).toBeLessThanOrEqual(4);
  });

  it('is read when the client sends the whole body before it reads the answer', async () => {
    const { socket, heard } = open();
    socket.pause();
    socket.write(head(LENGTH));
    await new Promise((resolve) => socket.write(Buffer.alloc(LENGTH), resolve));
    socket.resume();
    await eventually('the request is answered', () => heard.closed);
    expect(heard.answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('is read when it is short, and the connection stays open', async () => {
    const { socket, heard } = open();
    socket.write(head(SHORT_BYTES / 4));
    await eventually('the request is answered', () => heard.answer.includes('not found'));
    heard.answer = '';
    socket.write(Buffer.alloc(SHORT_BYTES / 4));
    socket.write(head(0));
    await eventually('the next request is answered', () => heard.answer.includes('not found'));
    socket.destroy();
  });

  it('is not sent by a client that waits for 100 Continue', async () => {
    const { socket, heard } = open();
    socket.write(head(LENGTH, 'Expect: 100-continue'));
    await eventually('the connection is closed', () => heard.closed);
    expect(heard.answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(accepted[0]?.bytesRead).toBeLessThan(1_024);
  });
});

describe('request rates', () => {
  it('answers 429 with Retry-After above the limit', async () => {
    const gateway = await startRunningGateway({ REQUESTS_PER_SECOND_MAX: '3' });
    try {
      const path = `${API}/v2/clusters/default-config`;
      const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.call('GET', path)));
      const refused = answers.find(({ status }) => status === 429);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      expect(refused?.body).toMatchObject({
        code: '429',
        reason: expect.stringContaining('limit 3 per second') as string,
      });
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    } finally {
      await gateway.close();
    }
  });
});

describe('requests that arrive in the same turn of the event loop', () => {
  const WORK_MS = 5;

  it('start in several turns, in order', async () => {
    const server = createFastifyServer(new RouteTable()).getInstance();
    const turns = new Map<number, number>();
    const started: number[] = [];
    let turn = 0;
    const next = (): NodeJS.Immediate => setImmediate(() => void ((turn += 1), (immediate = next())));
    let immediate = next();
    server.get<{ Params: { n: string } }>('/busy/:n', ({ params }, reply) => {
      turns.set(turn, (turns.get(turn) ?? 0) + 1);
      started.push(Number(params.n));
      for (const endMs = performance.now() + WORK_MS; performance.now() < endMs;);
      void reply.send({});
    });
    await server.ready();
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => server.inject(`/busy/${n}`)));
    clearImmediate(immediate);
    await server.close();
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(started).toEqual(numbers);
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(REQUEST_TIME.maxMs / WORK_MS + 1);
  });
});

describe('slow clients', () => {
  const TIMEOUT = { headersMs: 50, requestMs: 100, restMs: 60_000, checkMs: 20 };
  const server = createFastifyServer(new RouteTable(), TIMEOUT).getInstance();
  const rest = { ...TIMEOUT, headersMs: 60_000, requestMs: 60_000, restMs: 100 };
  const lenient = createFastifyServer(new RouteTable(), rest).getInstance();
  const sockets: Socket[] = [];
  beforeAll(async () => {
    for (const one of [server, lenient]) await one.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    sockets.forEach((socket) => socket.destroy());
    await Promise.all([server.close(), lenient.close()]);
  });

  const say = (text: string, to = server): Heard => {
    const heard = { answer: '', closed: false };
    const socket = connect(portOf(to.server), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (heard.answer += chunk.toString()));
    socket.on('close', () => (heard.closed = true));
    sockets.push(socket);
    return heard;
  };

  it('are disconnected when they do not finish the headers', async () => {
    const heard = say('GET / HTTP/1.1\r\nHost: x\r\n');
    await eventually('the server closes the connection', () => heard.closed);
    expect(heard.answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('are disconnected when they do not finish the body', async () => {
    const heard = say('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    await eventually('the server closes the connection', () => heard.closed);
    expect(heard.answer).toMatch(/^HTTP\/1\.1 4/);
  });

  it('are disconnected when their request is answered and they do not finish the body', async () => {
    const heard = say('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', lenient);
    await eventually('the server closes the connection', () => heard.closed);
    expect(heard.answer).toMatch(/^HTTP\/1\.1 404 /);
  });
});
