import { randomBytes } from 'node:crypto';
import { IgnitionService } from '@muster/contracts';
import { callService, DocumentWorkers, sealDocument } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import {
  INFRA_ENV_ID,
  infraEnvRegistered,
  openStage,
  PULL_SECRET,
  refusalOf,
  type Stage,
} from '../ignition.fixture.spec';

describe('a discovery document over 256 KiB', () => {
  let nats: NatsServer;
  let stage: Stage;
  let runAlone: jest.SpiedFunction<DocumentWorkers['runAlone']>;
  const tasks = () => new Set(runAlone.mock.calls.map(([{ name }]) => name));

  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());
  afterEach(async () => {
    await stage.close();
    jest.restoreAllMocks();
  });

  const render = async (content: string) => {
    runAlone = jest.spyOn(DocumentWorkers.prototype, 'runAlone');
    stage = await openStage(nats.url);
    const { secrets, requests } = stage.platform;
    await secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from(PULL_SECRET));
    const files = [{ path: '/etc/motd', contents: { source: `data:,${content}` } }];
    const override = JSON.stringify({ ignition: { version: '3.1.0' }, storage: { files } });
    const ignitionConfigOverride = await sealDocument(secrets, INFRA_ENV_ID, override);
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered({ ignitionConfigOverride }));
    await stage.start();
    const context = { commandId: 'render', correlationId: 'render', actor: 'service:image' };
    return callService(
      requests,
      IgnitionService.method.renderDiscoveryIgnition,
      { infraEnvId: INFRA_ENV_ID, isoType: 'full-iso', withoutSecrets: false },
      context,
    );
  };

  it('is compressed outside of the main thread, and accepted when it fits into an image', async () => {
    const { ignition } = await render('a'.repeat(400_000));
    expect(Buffer.from(ignition, 'base64').length).toBeGreaterThan(400_000);
    expect(tasks()).toEqual(new Set(['createIgnitionArchive']));
  });

  it('is refused with its compressed size when it does not fit', async () => {
    const refusal = await refusalOf(render(randomBytes(300_000).toString('base64url')));
    expect(refusal).toMatchObject({
      code: 'invalid-input',
      subject: 'ignition_config_override',
      reason: expect.stringMatching(/^The compressed discovery config of this infra-env has \d{6} bytes\./),
    });
    expect(tasks()).toEqual(new Set(['createIgnitionArchive']));
  });
});
