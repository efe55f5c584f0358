import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient, HttpRefused, NO_RETRIES, ServiceUnreachable } from './http-client';

describe('the reason of a refused call', () => {
  it.each([
    ['an error of the v2 API', '{"kind":"Error","code":"409","reason":"Not now."}'],
    ['an error of the HTTP server', '{"code":400,"message":"Not now."}'],
    ['a problem of the Muster API', '{"type":"urn:muster:problem:busy","title":"Busy","detail":"Not now."}'],
    ['another text', ' Not now.\n'],
  ])('is read from %s', (_, body) => {
    const refused = new HttpRefused({ method: 'GET', path: '/a' }, { status: 409, body: Buffer.from(body) });
    expect(refused.reason).toBe('Not now.');
    expect(refused.message).toBe('GET /a was answered 409: Not now.');
  });
});

it.each([
  [401, '{"code":"401","reason":"Not this host."}', 'application/json'],
  [404, '', 'application/json'],
  [200, '<html>', 'text/html'],
])('a failure with %d does not contain the query, which has the token of an image', async (status, body, type) => {
  for (const asStream of [false, true])
    expect(String(await answered(status, body, { type, asStream, path: '/a?image_token=canary' }))).not.toMatch(
      /\?|canary/,
    );
});

const answered = async (
  status: number,
  body: string,
  { type = 'application/json', sendsJsonErrors = true, asStream = false, path = '/a' } = {},
): Promise<unknown> => {
  const server = createServer((_, response) => void response.writeHead(status, { 'content-type': type }).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timer = { sleep: () => Promise.resolve() };
  const client = createHttpClient({ baseUrl, sendsJsonErrors, retries: NO_RETRIES, timer });
  const result = await client[asStream ? 'stream' : 'call'](
    { method: 'GET', path },
    new AbortController().signal,
  ).catch((error: unknown) => error);
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return result;
};

describe.each([401, 403, 404, 409])('an answer with %d, at which a host ends or waits long,', (status) => {
  it.each([
    ['the v2 API', `{"kind":"Error","code":"${status}","reason":"Not this host."}`],
    ['the framework', `{"code":${status},"message":"Not this host."}`],
    ['the Muster API', '{"type":"urn:muster:problem:not-found","title":"Not found","detail":"Not this host."}'],
  ])('is a refusal with an error of %s, and of a server with other errors', async (_, body) => {
    expect(await answered(status, body)).toBeInstanceOf(HttpRefused);
    expect(await answered(status, 'Not this host.', { sendsJsonErrors: false })).toBeInstanceOf(HttpRefused);
  });

  it.each(['', 'Access denied\n', '<html>Log in</html>', '{"message":"no Route matched"}', '[]'])(
    'is of a proxy without one: %j',
    async (body) => {
      const failure = await answered(status, body);
      expect(failure).toBeInstanceOf(ServiceUnreachable);
      expect(String(failure)).toContain(`: a proxy answered GET /a with ${status}`);
    },
  );
});

describe('an answer of a captive portal', () => {
  it.each([301, 302, 303, 307, 308])('with the redirect %d is no answer of the service', async (status) => {
    expect(await answered(status, '')).toBeInstanceOf(ServiceUnreachable);
    expect(await answered(status, '', { sendsJsonErrors: false })).toBeInstanceOf(HttpRefused);
  });

  it.each([false, true])('that is a page in place of the result counts as none, as a stream: %s', async (asStream) => {
    for (const sendsJsonErrors of [true, false]) {
      const failure = await answered(200, '<html>', { type: 'text/html; charset=utf-8', sendsJsonErrors, asStream });
      expect(failure).toBeInstanceOf(ServiceUnreachable);
      expect(String(failure)).toContain(': a proxy answered GET /a with a page');
    }
  });
});

it('a body that is too large for a proxy is refused, so that it is not sent again', async () => {
  expect(await answered(413, '<html>', { type: 'text/html' })).toBeInstanceOf(HttpRefused);
});

it('a path with two slashes is of the same server', async () => {
  expect(await answered(200, 'here', { path: '//other.example.com/config' })).toMatchObject({ status: 200 });
});
