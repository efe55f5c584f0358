import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type HardwareFacts, hostKeyOf, parseHostKey, type Plain } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import type { HostEntry } from '../view/view-entries';
import { UnchangedInventories } from './unchanged-inventories';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

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

  it('is compared with the last one without a read or an append, also when other processes write to the store', async () => {
    const key = await cluster.registerHost();
    const output = JSON.stringify({ cpu: {}, memory: {}, interfaces: [{ mac_address: '52:54:00:00:00:01' }] });
    await cluster.reply(key, 'inventory', { output });
    const { generation, hardware } = (running.reports.at(-1)?.data ?? {}) as { generation: number; hardware: object };
    await cluster.reportInventory(key, generation, hardware);
    running.reports.length = 0;
    const { eventStore } = running.platform;
    const [read, append] = [jest.spyOn(eventStore, 'readStream'), jest.spyOn(eventStore, 'append')];
    for (const _ of [1, 2]) await cluster.reply(key, 'inventory', { output });
    expect(eventStore.isSoleWriter).toBe(false);
    expect(running.reports).toEqual([]);
    expect(read).not.toHaveBeenCalled();
    expect(append).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('leaves memory when the view drops its host', async () => {
    const hosts = new Map<string, HostEntry>();
    const inventories = new UnchangedInventories({ host: (key) => hosts.get(key) });
    const record = (number: number): WeakRef<object> => {
      const key = hostKeyOf('i', `h${number}`);
      const hardware = { cpuCount: number } as Plain<HardwareFacts>;
      hosts.set(key, { key } as HostEntry);
      inventories.recorded(key, 1, 'digest', hardware, undefined);
      return new WeakRef(hardware);
    };
    const hardware = Array.from({ length: 100 }, (_, number) => record(number));
    const inMemory = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      if (typeof collectGarbage === 'function') collectGarbage();
      return hardware.filter((one) => one.deref()).length;
    };
    expect(await inMemory()).toBe(100);
    hosts.clear();
    expect(await inMemory()).toBe(0);
  });
});
