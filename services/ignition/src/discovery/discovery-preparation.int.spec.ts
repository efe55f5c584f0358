import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { INFRA_ENV_ID, infraEnvRegistered, openStage, PULL_SECRET } from '../ignition.fixture.spec';

describe('the inputs of a discovery document', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());

  it('are created when the infra-env is registered, before the first download', async () => {
    const stage = await openStage(nats.url);
    try {
      await stage.platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from(PULL_SECRET));
      const read = jest.spyOn(stage.platform.eventStore, 'readStream');
      await stage.start();
      const stamp = () => stage.platform.secrets.open(INFRA_ENV_ID, 'discovery-stamp/full-iso');
      expect(await stamp()).toBeUndefined();
      await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
      await eventually('it was rendered', async () => (await stamp()) !== undefined);
      // The fixture reads the stream once to append the event.
      expect(read).toHaveBeenCalledTimes(1);
    } finally {
      await stage.close();
    }
  });

  it('are not created for an infra-env whose secrets were destroyed before', async () => {
    const stage = await openStage(nats.url);
    const { secrets } = stage.platform;
    const [seal, open] = [jest.spyOn(secrets, 'seal'), jest.spyOn(secrets, 'open')];
    try {
      await stage.start();
      await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
      await eventually('it was tried', async () => open.mock.calls.some(([scope]) => scope === INFRA_ENV_ID));
    } finally {
      // The service ends after the running preparation.
      await stage.close();
    }
    expect(seal.mock.calls.filter(([scope]) => scope === INFRA_ENV_ID)).toEqual([]);
  });
});
