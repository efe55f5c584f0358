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

describe('an answer with 404', () => {
  const answered = async (body: string, sendsJsonErrors = true): Promise<unknown> => {
    const server = createServer((_, response) => void response.writeHead(404).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const timer = { sleep: () => Promise.resolve() };
    const client = createHttpClient({ baseUrl, sendsJsonErrors, retries: NO_RETRIES, timer });
    const failure = await client
      .call({ method: 'GET', path: '/a' }, new AbortController().signal)
      .catch((error: unknown) => error);
    client.close();
    await new Promise((resolve) => server.close(resolve));
    return failure;
  };

  it('is a refusal when it has an error of the service, and of a server with other errors', async () => {
    expect(await answered('{"code":404,"message":"No such host."}')).toBeInstanceOf(HttpRefused);
    expect(await answered('404 page not found', false)).toBeInstanceOf(HttpRefused);
  });

  it.each(['', '404 page not found\n', '<html>Not found</html>'])('is of a proxy without one: %j', async (body) => {
    const failure = await answered(body);
    expect(failure).toBeInstanceOf(ServiceUnreachable);
    expect(String(failure)).toMatch(/No answer from http:.*: a proxy answered GET \/a with 404/);
  });
});
