import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';

const CONSOLE = 'https://console.example.com';
const CLUSTERS = `${API}/v2/clusters`;

describe('requests of browsers with AUTH_TYPE=none', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({
      ALLOWED_DOMAINS: CONSOLE,
      ALLOWED_HOSTS: 'muster.example.com,Muster.Example.org',
    });
  });
  afterAll(() => gateway.close());

  const raw = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number; headers: Record<string, unknown>; text: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(gateway.url + path, { method, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      });
      asked.on('error', reject);
      asked.end(body);
    });

  it('answers the preflight of an allowed domain and exposes the event counts', async () => {
    const preflight = await raw('OPTIONS', CLUSTERS, {
      origin: CONSOLE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    });
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': CONSOLE, 'access-control-max-age': '600' },
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    const answer = await raw('GET', `${API}/v2/events?limit=1`, { origin: CONSOLE });
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': CONSOLE });
    expect(answer.headers['access-control-expose-headers']).toContain('Severity-Count-Error');
    // The console names a downloaded archive of logs after it.
    expect(answer.headers['access-control-expose-headers']).toContain('Content-Disposition');
  });

  it('permits only the origins of the allowed domains', async () => {
    const answer = await raw('GET', CLUSTERS, { origin: 'https://evil.example.com' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('refuses write requests of a foreign origin, and serves those of its own and of allowed origins', async () => {
    const headers = { 'content-type': 'application/json' };
    const write = (origin: string) => raw('POST', CLUSTERS, { ...headers, origin }, '{}');
    expect(await write('https://evil.example.com')).toMatchObject({
      status: 403,
      text: expect.stringContaining('ALLOWED_DOMAINS'),
    });
    expect((await write('null')).status).toBe(403);
    expect((await write(CONSOLE)).status).toBe(400);
    expect((await write(gateway.url)).status).toBe(400);
  });

  it('requires a media type for a request with a body', async () => {
    expect((await raw('POST', CLUSTERS, {}, '{}')).status).toBe(415);
  });

  it.each([
    ['evil.example.com', 403],
    ['evil.example.com:8090', 403],
    ['muster.example.com', 200],
    ['muster.example.org:8090', 200],
    ['localhost:8090', 200],
    ['192.0.2.7', 200],
    ['[fd00::7]:8090', 200],
    ['assisted-service', 200],
  ])('answers requests for the host %s with %i', async (host, status) => {
    const answer = await raw('GET', `${CLUSTERS}/default-config`, { host });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.text).toContain('ALLOWED_HOSTS');
  });

  it('sends security headers and forbids caching of responses', async () => {
    expect((await raw('GET', `${CLUSTERS}/default-config`, {})).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    for (const page of ['/docs', '/docs/', '/docs?from=mail', '/docs/?from=mail'])
      expect((await raw('GET', page, {})).headers['content-security-policy']).toContain("script-src 'self'");
    expect((await raw('GET', '/docs-of-others', {})).headers['content-security-policy']).toContain(
      "default-src 'none'",
    );
  });

  it('closes further connections of an address at the limit', async () => {
    const few = await startRunningGateway({ CONNECTIONS_PER_ADDRESS_MAX: '1' });
    const { hostname, port } = new URL(few.url);
    const open = (): Socket => connect(Number(port), hostname);
    const first = open();
    await once(first, 'connect');
    const second = open();
    await once(second, 'close');
    expect(first.destroyed).toBe(false);
    first.destroy();
    await few.close();
  });

  it('serves no source maps', async () => {
    expect((await raw('GET', '/docs/swagger-ui-bundle.js', {})).status).toBe(200);
    expect((await raw('GET', '/docs/swagger-ui-bundle.js.map', {})).status).toBe(404);
  });
});
