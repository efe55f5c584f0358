import { request } from 'node:http';
import { RegistrationService } from '@muster/contracts';
import { Unavailable } from '@muster/ports';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';
import { PATH_PARAMETER_MAX_CHARACTERS } from './request-body';

const OWN = '/api/muster/v1';
const OVERRIDES = `${OWN}/clusters/${CLUSTER_ID}/validation-overrides`;
const UNKNOWN_ID = '5b0f2c5e-8d6d-4b7a-9a52-0f6f3a1c9d99';
const PROBLEM = 'application/problem+json';

describe('errors of the Muster API', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument()]);
  });
  afterAll(() => gateway.close());

  it.each([
    ['GET', `${OWN}/clusters/${UNKNOWN_ID}/timeline`, 404, 'not-found'],
    ['GET', `/api//muster/v1/clusters/${UNKNOWN_ID}/timeline/`, 404, 'not-found'],
    ['GET', `${OWN}/clusters/one/timeline`, 400, 'invalid-input'],
    ['GET', `${OWN}/nothing`, 404, 'not-found'],
    ['PUT', OVERRIDES, 400, 'invalid-input'],
  ])('answer %s %s with a problem', async (method, path, status, code) => {
    const answer = await gateway.call(method, path, method === 'PUT' ? { json: {} } : {});
    expect(answer.headers.get('content-type')).toContain(PROBLEM);
    expect([answer.status, answer.body]).toEqual([
      status,
      { type: `urn:muster:problem:${code}`, title: expect.any(String), status, detail: expect.any(String) },
    ]);
  });

  it('contain the code, the subject and the allowed values of a refusal', async () => {
    const refusal = {
      code: 'not-allowed-in-state',
      reason: 'Not now.',
      subject: 'status',
      allowed: ['ready'],
    } as const;
    await gateway.refuses(RegistrationService.method.reviseCluster, refusal);
    const answer = await gateway.call('PUT', OVERRIDES, { json: { reason: 'a lab' } });
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        type: 'urn:muster:problem:not-allowed-in-state',
        title: 'The current state does not allow the request',
        status: 409,
        detail: 'Not now.',
        subject: 'status',
        allowed: ['ready'],
      },
    ]);
  });

  it('say that a change may be stored when MongoDB fails during a request that writes', async () => {
    await gateway.answers(RegistrationService.method.cancelInstallation, () => ({
      stored: { position: 1, revision: 0 },
    }));
    const { get } = gateway.readModels;
    const away = (): Promise<never> => Promise.reject(new Unavailable('MongoDB at 10.0.0.6:27017', 'no answer'));
    Object.assign(gateway.readModels, { get: away });
    const answers = [
      await gateway.call('POST', `${API}/v2/clusters/${CLUSTER_ID}/actions/cancel`),
      await gateway.call('GET', `${API}/v2/clusters/${CLUSTER_ID}`),
    ];
    Object.assign(gateway.readModels, { get });
    expect(answers).toMatchObject([
      { status: 503, body: { reason: expect.stringContaining('it may have been stored') as string } },
      { status: 503, body: { reason: expect.stringContaining('no answer. Nothing was stored.') as string } },
    ]);
  });

  it('have no code when HTTP itself defines the error', async () => {
    const wrong = await gateway.call('DELETE', OVERRIDES);
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, PUT');
    const media = await gateway.call('PUT', OVERRIDES, { raw: '{}', headers: { 'content-type': 'text/csv' } });
    const long = await gateway.call('GET', `${OWN}/clusters/${'a'.repeat(2 * PATH_PARAMETER_MAX_CHARACTERS)}`);
    for (const answer of [wrong, media, long]) expect(answer.headers.get('content-type')).toContain(PROBLEM);
    expect([wrong.body, media.body]).toMatchObject([
      { type: 'about:blank', title: 'Method Not Allowed', status: 405 },
      { type: 'about:blank', title: 'Unsupported Media Type', status: 415 },
    ]);
    expect(long.body).toMatchObject({ status: long.status });
  });

  it('include those of the checks for browsers', async () => {
    const answer = await new Promise((resolve, reject) => {
      const headers = { origin: 'https://evil.example.com', 'content-type': 'application/json' };
      const asked = request(`${gateway.url}${OVERRIDES}`, { method: 'PUT', headers }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers['content-type']]);
      });
      asked.on('error', reject);
      asked.end('{}');
    });
    expect(answer).toEqual([403, expect.stringContaining(PROBLEM)]);
  });
});
