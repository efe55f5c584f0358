import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { INFRA_ENV_ID, infraEnvRegistered, openStage, PULL_SECRET } from '../ignition-story.fixture.spec';

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
      await stage.start();
      const stamp = () => stage.platform.secrets.open(INFRA_ENV_ID, 'discovery-stamp/full-iso');
      expect(await stamp()).toBeUndefined();
      await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
      await eventually('it was rendered', async () => (await stamp()) !== undefined);
    } finally {
      await stage.close();
    }
  });
});
