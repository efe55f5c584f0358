import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { agentTokenGeneration, revokeInfraEnvTokens } from '@muster/nest-kit';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { createCertificate } from '../remote/site-network.fixture.spec';

let nats: NatsServer;
let stage: ImageStage;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());
afterEach(() => stage.close());

const open = async (environment = {}): Promise<void> => {
  stage = await openImageStage(nats.url, environment);
};
const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${stage.url}${path}`, init);
const full = (): string => `/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`;

const sign = async (key: KeyObject, payload: Record<string, string>): Promise<string> => {
  const { SignJWT } = await import('jose');
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256' }).sign(key);
};
const signedUrl = async (key: KeyObject): Promise<string> =>
  `http://127.0.0.1:8888/byapikey/${await sign(key, { infra_env_id: INFRA_ENV_ID })}/4.18/x86_64/full.iso`;

describe('an image URL with a token', () => {
  const claims = (payload: object): string => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`;
  const status = async (path: string): Promise<number> => (await get(path, { method: 'HEAD' })).status;
  const byApiKey = (token: string): string => `/byapikey/${token}/4.18/x86_64/full.iso`;

  it('names its infra-env, and is not verified without authentication', async () => {
    await open();
    expect(await status(byApiKey(claims({ infra_env_id: INFRA_ENV_ID })))).toBe(200);
    expect(await status(byApiKey(claims({ sub: INFRA_ENV_ID })))).toBe(200);
    expect(await status(byApiKey(claims({ sub: INFRA_ENV_ID })).replace('byapikey', 'bytoken'))).toBe(200);
    expect(await status(byApiKey(claims({})))).toBe(404);
    expect(await status(byApiKey('nothing'))).toBe(401);
  });

  it('gives access only to its own infra-env with AUTH_TYPE=local', async () => {
    const [own, foreign] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    if (!own || !foreign) throw new Error('two key pairs were made');
    const pem = own.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await open({ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM: pem });
    const good = await sign(own.privateKey, { infra_env_id: INFRA_ENV_ID });
    const forged = await sign(foreign.privateKey, { infra_env_id: INFRA_ENV_ID });
    const other = await sign(own.privateKey, { infra_env_id: 'e1e1e1e1-0000-4000-8000-00000000dead' });
    const long = `/images/${INFRA_ENV_ID}?type=full-iso&version=4.18`;
    expect(await status(byApiKey(good))).toBe(200);
    expect(await status(byApiKey(forged))).toBe(401);
    expect(await status(byApiKey(claims({ infra_env_id: INFRA_ENV_ID })))).toBe(401);
    expect(await status(full())).toBe(401);
    expect(await status(`${full()}?api_key=${good}`)).toBe(200);
    expect(await status(`${full()}?api_key=${other}`)).toBe(404);
    expect(await status(`${long}&api_key=${good}`)).toBe(200);
    expect(await status(long)).toBe(401);
  });

  it('gives no access with AUTH_TYPE=local after the tokens of its infra-env were revoked', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await open({ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM: pem });
    const before = await sign(privateKey, { infra_env_id: INFRA_ENV_ID });
    expect(await status(byApiKey(before))).toBe(200);
    await revokeInfraEnvTokens(stage.secrets, INFRA_ENV_ID);
    expect(await status(byApiKey(before))).toBe(401);
    expect(await status(`${full()}?api_key=${before}`)).toBe(401);
    const generation = await agentTokenGeneration(stage.secrets, INFRA_ENV_ID);
    expect(await status(byApiKey(await sign(privateKey, { infra_env_id: INFRA_ENV_ID, generation })))).toBe(200);
  });
});

describe('an image URL with the credentials of a user', () => {
  it('is served to users with write access to the infra-env, because it contains the token of the agents', async () => {
    const asked: string[] = [];
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const owned = await signedUrl(privateKey);
    const api = createServer((request, response) => {
      const { authorization = '' } = request.headers;
      asked.push(`${request.url} ${authorization}`);
      const status = { 'Bearer owner': 200, 'Bearer reader': 200, 'Bearer other': 404 }[authorization] ?? 401;
      // The API signs the URL for users with write access only.
      const download_url = authorization === 'Bearer owner' ? owned : `http://127.0.0.1:8888${full()}`;
      response.writeHead(status).end(JSON.stringify({ download_url }));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    try {
      const SERVICE_BASE_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      await open({ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM: pem, SERVICE_BASE_URL });
      const statusFor = async (authorization: string): Promise<number> =>
        (await get(full(), { method: 'HEAD', headers: { authorization } })).status;
      expect(await statusFor('Bearer owner')).toBe(200);
      expect(await statusFor('Bearer reader')).toBe(403);
      expect(await statusFor('Bearer other')).toBe(404);
      expect(await statusFor('Bearer none')).toBe(401);
      expect(asked[0]).toBe(`/api/assisted-install/v2/infra-envs/${INFRA_ENV_ID} Bearer owner`);
      api.close();
      api.closeAllConnections();
      expect(await statusFor('Bearer owner')).toBe(503);
    } finally {
      api.close();
    }
  });

  it('is checked with an API whose certificate authority is SERVICE_CA_CERT_PATH', async () => {
    const { key, cert } = await createCertificate('127.0.0.1');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const infraEnv = JSON.stringify({ download_url: await signedUrl(privateKey) });
    const api = createHttpsServer({ key, cert }, ({ headers }, response) =>
      response
        .writeHead(headers.authorization === 'Bearer owner' ? 200 : 302, { location: '/elsewhere' })
        .end(infraEnv),
    );
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const folder = temporaryDirectory();
    try {
      const SERVICE_CA_CERT_PATH = join(folder.path, 'ca.pem');
      writeFileSync(SERVICE_CA_CERT_PATH, cert);
      const SERVICE_BASE_URL = `https://127.0.0.1:${(api.address() as AddressInfo).port}`;
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      await open({ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM: pem, SERVICE_BASE_URL, SERVICE_CA_CERT_PATH });
      const statusFor = async (authorization: string): Promise<number> =>
        (await get(full(), { method: 'HEAD', headers: { authorization } })).status;
      expect(await statusFor('Bearer owner')).toBe(200);
      expect(await statusFor('Bearer redirected')).toBe(503);
    } finally {
      api.close();
      api.closeAllConnections();
      folder.remove();
    }
  });
});
