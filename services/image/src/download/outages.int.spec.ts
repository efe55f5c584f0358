import { generateKeyPairSync } from 'node:crypto';
import { Unavailable } from '@muster/ports';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';

describe('a download while a server of the service is not available', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let nats: NatsServer;
  let stage: ImageStage;
  let path: string;
  beforeAll(async () => {
    nats = await startNatsServer();
    const { SignJWT } = await import('jose');
    const signed = new SignJWT({ infra_env_id: INFRA_ENV_ID }).setProtectedHeader({ alg: 'ES256' });
    path = `/byapikey/${await signed.sign(privateKey)}/4.18/x86_64/full.iso`;
    const EC_PUBLIC_KEY_PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    stage = await openImageStage(nats.url, { AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await stage.close();
    await nats.stop();
  });

  const fail = (): never => {
    throw new Unavailable('EventStoreDB at 10.0.0.5:2113', 'connection refused');
  };
  it.each([
    ['the event store', () => jest.spyOn(stage.eventStore, 'readStream').mockImplementation(fail)],
    ['the store of secrets', () => jest.spyOn(stage.secrets, 'open').mockImplementation(async () => fail())],
  ])('is refused for some seconds, as a machine that boots repeats it (%s)', async (_, begin) => {
    const outage = begin();
    const answer = await fetch(stage.url + path, { headers: { range: 'bytes=0-9' } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject({
      type: 'urn:muster:problem:unavailable',
      detail: expect.stringContaining('EventStoreDB at 10.0.0.5:2113 is not available: connection refused'),
    });
    outage.mockRestore();
    expect((await fetch(stage.url + path, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
  });
});
