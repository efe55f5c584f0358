import { connect } from 'node:net';
import { RegistrationService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';
import { JSON_BODY_MAX_BYTES, REQUEST_HEAD_MAX_BYTES } from './request-body';

describe('the HTTP server', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());

  it.each([
    `${API}/v2/clusters//default-config`,
    `${API}/v2/clusters/default-config/`,
    `//api/assisted-install/v2/clusters/default-config//`,
  ])('serves %s without a redirect', async (path) => {
    expect(await gateway.call('GET', path)).toMatchObject({
      status: 200,
      body: { cluster_network_cidr: '10.128.0.0/14' },
    });
  });

  it('serves the API document with every route, and a page that loads nothing from other sites', async () => {
    const { body } = await gateway.call('GET', '/docs/openapi.json');
    const { paths } = body as { paths: { [path: string]: object } };
    const untold = gateway.routes
      .all()
      .map(({ pattern }) => pattern.replace(/:(\w+)/g, '{$1}'))
      .filter((path) => !path.startsWith('/docs') && !(path in paths));
    expect(untold).toEqual([]);
    const page = await gateway.call('GET', '/docs');
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('swagger-ui-bundle.js') });
    expect([...page.text.matchAll(/(?:src|href)="(?!\.\/|#)([^"]*)"/g)].map(([, address]) => address)).toEqual([]);
    expect((await gateway.call('GET', '/docs/swagger-ui-bundle.js')).status).toBe(200);
  });

  it('keeps the query when it cleans the path', async () => {
    const answer = await gateway.call('GET', `${API}/v2//openshift-versions/?version=4.18&only_latest=false`);
    expect(Object.keys(answer.body as object)).toEqual(['4.18.52', '4.18.52-multi']);
  });

  it('answers 404 for an unknown path and 405 for a wrong method', async () => {
    const unknown = await gateway.call('GET', `${API}/v2/cluster`);
    expect([unknown.status, unknown.body]).toEqual([
      404,
      { code: 404, message: `path ${API}/v2/cluster was not found` },
    ]);
    const wrong = await gateway.call('PUT', `${API}/v2/clusters/${CLUSTER_ID}`);
    expect(wrong.status).toBe(405);
    expect(wrong.body).toMatchObject({ code: 405 });
    expect(wrong.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH');
    expect((await gateway.call('GET', '/nowhere')).status).toBe(404);
  });

  it('refuses an id that is not a UUID', async () => {
    expect((await gateway.call('GET', `${API}/v2/clusters/one`)).body).toEqual({
      code: 400,
      message: expect.stringContaining('cluster_id in path must be a UUID'),
    });
  });

  it('refuses invalid JSON, unsupported media types and bodies that are too large', async () => {
    const broken = await gateway.call('POST', `${API}/v2/clusters`, { raw: '{"pull_secret": "canary-4711"' });
    expect(broken.status).toBe(400);
    expect(broken.body).toMatchObject({ code: 400 });
    expect(broken.text).not.toContain('canary-4711');
    const xml = await gateway.call('POST', `${API}/v2/clusters`, {
      raw: '<a/>',
      headers: { 'content-type': 'text/xml' },
    });
    expect(xml).toMatchObject({ status: 415, body: { code: 415 } });
    const polluted = await gateway.call('POST', `${API}/v2/clusters`, { raw: '{"__proto__": {"a": 1}}' });
    expect(polluted).toMatchObject({ status: 400, body: { code: 400 } });
    const large = await gateway.call('POST', `${API}/v2/clusters`, { raw: `"${'a'.repeat(JSON_BODY_MAX_BYTES)}"` });
    expect(large).toMatchObject({ status: 413, body: { code: 413 } });
  });

  it('refuses a body that is nested too deeply', async () => {
    const depth = 100_000;
    const raw = `{"tags":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(await gateway.call('POST', `${API}/v2/clusters`, { raw })).toMatchObject({
      status: 400,
      body: { message: 'body must not be nested deeper than 32 levels' },
    });
  });

  it('accepts an action with a content type and no body', async () => {
    await gateway.answers(RegistrationService.method.resetCluster, () => ({ stored: { position: 1, revision: 1 } }));
    await gateway.project(1, [clusterDocument()]);
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.call('POST', `${API}/v2/clusters/${CLUSTER_ID}/actions/reset`, { headers })).status).toBe(
      202,
    );
  });

  it('answers an internal error with 500 and a request id, without a stack trace', async () => {
    await gateway.bus.flush();
    const broken = { kind: 'put', collection: 'clusters', key: 'x', document: null } as never;
    await gateway.platform.readModels.commit('views', 100, [broken]);
    const answer = await gateway.call('GET', `${API}/v2/clusters`);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ kind: 'Error', id: 500, code: '500' });
    expect(answer.text).not.toMatch(/at .*\.ts|TypeError|node_modules/);
    expect(gateway.log.join('\n')).toContain('TypeError');
    await gateway.platform.readModels.commit('views', 101, [{ kind: 'remove', collection: 'clusters', key: 'x' }]);
  });

  it('answers 503 with the reason when another process has locked a file', async () => {
    const locked = Object.assign(new Error('Database x: another process has locked it.'), { code: 'SQLITE_BUSY' });
    const find = jest.spyOn(gateway.platform.readModels, 'find').mockRejectedValue(locked);
    const answer = await gateway.call('GET', `${API}/v2/clusters`);
    find.mockRestore();
    expect(answer).toMatchObject({ status: 503, body: { reason: 'Database x: another process has locked it.' } });
    expect(gateway.log.join('\n')).toContain('another process has locked it');
  });

  it.each([
    ['not HTTP', 'BLAH\r\n\r\n', 400, 'The request is not valid HTTP/1.1: Invalid method encountered'],
    [
      'a head that is too long',
      `GET /health?${'a'.repeat(REQUEST_HEAD_MAX_BYTES)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'The request line and the headers are too long: at most 65536 bytes are allowed',
    ],
  ])('refuses input that is %s in the form of the API, and keeps running', async (_, input, status, message) => {
    const { hostname, port } = new URL(gateway.url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(input));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    await eventually('the server has answered', () => answer.endsWith('}'));
    socket.destroy();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nConnection: close\r\n`));
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toEqual({ code: status, message });
    expect((await gateway.call('GET', '/health')).status).toBe(200);
  });

  it('answers /health, and /ready once the read models contain all events', async () => {
    const health = await gateway.call('GET', '/health');
    expect([health.status, health.text]).toEqual([200, '']);
    await eventually('the gateway is ready', async () => (await gateway.call('GET', '/ready')).status === 200);
    expect((await gateway.call('GET', '/ready')).body).toEqual({ ready: true, not_ready: [] });
  });
});

describe('a gateway whose read models are behind', () => {
  it('answers /ready with 503 and the positions', async () => {
    // The events were stored before the gateway started, and no projection applies them.
    const late = await startRunningGateway({}, { storedEvents: 3 });
    const answer = await late.call('GET', '/ready');
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ ready: false, not_ready: [{ part: 'read models' }, { part: 'timelines' }] });
    await late.project(10, []);
    await eventually('it is ready', async () => (await late.call('GET', '/ready')).status === 200);
    await late.close();
  });
});
