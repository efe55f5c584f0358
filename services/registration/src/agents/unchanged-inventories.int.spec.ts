import { parseHostKey } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

describe('an inventory', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => {
    running = await RunningRegistration.start();
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
  });
  afterAll(() => running.stop());

  it('is passed to the inventory service once, until the host sends another one or registers again', async () => {
    const key = await cluster.registerHost();
    const outputOf = (bytes: number): string =>
      JSON.stringify({ cpu: { count: 4 }, memory: { physical_bytes: bytes, usable_bytes: bytes } });
    const send = async (output: string): Promise<number> => {
      running.reports.length = 0;
      expect(await cluster.reply(key, 'inventory', { output })).toEqual({ stored: { position: 7, revision: 0 } });
      return running.reports.length;
    };
    /** As the inventory service does with the report that it received last. */
    const store = async (): Promise<void> => {
      const { generation, hardware } = (running.reports.at(-1)?.data ?? {}) as { generation: number; hardware: object };
      await cluster.reportInventory(key, generation, hardware);
    };
    expect(await send(outputOf(1))).toBe(1);
    await store();
    expect([await send(outputOf(1)), await send(outputOf(1))]).toEqual([0, 0]);
    expect(await send(outputOf(2))).toBe(1);
    // The view does not have it yet.
    expect(await send(outputOf(2))).toBe(1);
    await store();
    expect(await send(outputOf(2))).toBe(0);
    expect(await send(outputOf(1))).toBe(1);
    await store();
    expect(await send(outputOf(1))).toBe(0);
    await cluster.registerHost(parseHostKey(key).hostId);
    expect(await send(outputOf(1))).toBe(1);
  });
});
