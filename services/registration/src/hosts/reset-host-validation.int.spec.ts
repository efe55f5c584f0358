import { randomUUID } from 'node:crypto';
import { type HostKey, InventoryService, parseHostKey, RegistrationService, subjectOfMethod } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const DISK_SPEED = 'sufficient-installation-disk-speed';

describe('resetting a validation', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  const cleared: unknown[] = [];
  beforeAll(async () => {
    running = await RunningRegistration.start();
    running.platform.requests.subscribe(subjectOfMethod(InventoryService.method.clearReport), ({ body }) => {
      cleared.push(body);
    });
  });
  beforeEach(() => {
    cleared.length = 0;
    cluster = new TestCluster(running);
  });
  afterAll(() => running.stop());

  const reset = (key: HostKey, validationId: string) =>
    running.ask(RegistrationService.method.resetHostValidation, { ...parseHostKey(key), validationId });

  it.each([
    [DISK_SPEED, 'installation-disk-speed-check'],
    ['container-images-available', 'container-image-availability'],
  ])('of %s discards the result of step %s in the present generation', async (validationId, stepType) => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const hostKey = await cluster.registerHost();
    await reset(hostKey, validationId);
    expect(cleared).toEqual([{ hostKey, stepType, generation: 1 }]);
    await running.ask(RegistrationService.method.deregisterHost, parseHostKey(hostKey));
    await cluster.registerHost(parseHostKey(hostKey).hostId);
    await reset(hostKey, validationId);
    expect(cleared.slice(1)).toEqual([{ hostKey, stepType, generation: 2 }]);
  });

  it.each(['has-inventory', 'toString', ''])(
    'is refused for "%s" with the validations that can be reset',
    async (validationId) => {
      await cluster.register();
      await cluster.registerInfraEnv();
      const key = await cluster.registerHost();
      const refusal = {
        code: 'invalid-input',
        subject: 'validation_id',
        allowed: [DISK_SPEED, 'container-images-available'],
      };
      await expect(reset(key, validationId)).rejects.toMatchObject({ refusal });
      expect(cleared).toEqual([]);
    },
  );

  it('is refused for a host in no cluster, and for a host that does not exist', async () => {
    await cluster.registerInfraEnv('');
    const key = await cluster.registerHost();
    await expect(reset(key, DISK_SPEED)).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    const unknown: HostKey = `${cluster.infraEnvId}.${randomUUID()}`;
    await expect(reset(unknown, DISK_SPEED)).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    expect(cleared).toEqual([]);
  });
});
