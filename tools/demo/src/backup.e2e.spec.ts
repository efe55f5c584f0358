import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@muster/service-muster';
import { temporaryDirectory } from '@muster/testing';
import { MUSTER_MAIN, MusterProcess, NO_SETTINGS } from './muster-process';
import { type HostView, RestClient } from './rest-client';
import { PULL_SECRET } from './scenario';

/** The body is a file; those of up to 64 KiB are rows of `objects.sqlite`. */
const LARGE_BYTES = 100_000;
const HOSTS_BEFORE = 10;

const inventoryOf = (hostname: string, bytes: number): string =>
  JSON.stringify({
    hostname,
    cpu: { count: 8, architecture: 'x86_64' },
    memory: { physical_bytes: 2 ** 35, usable_bytes: 2 ** 35 },
    disks: [],
    interfaces: [],
    system_vendor: { serial_number: hostname, product_name: 'x'.repeat(bytes), manufacturer: 'Muster' },
  });

describe('a backup of a running installation', () => {
  jest.setTimeout(180_000);
  const directory = temporaryDirectory();
  let muster: MusterProcess;
  afterAll(async () => {
    await muster.stop();
    directory.remove();
  });

  const store = async (dataDirectory: string, ...args: readonly string[]): Promise<string> => {
    const environment = { ...process.env, ...NO_SETTINGS, MUSTER_DATA_DIRECTORY: dataDirectory };
    const { stdout } = await promisify(execFile)(process.execPath, [MUSTER_MAIN, 'store', ...args], {
      env: environment,
    });
    return stdout;
  };

  it('starts with everything that was acknowledged before', async () => {
    const [original, copy] = [join(directory.path, 'original'), join(directory.path, 'copy')];
    const ports = { restPort: await freePort('127.0.0.1'), imagePort: await freePort('127.0.0.1') };
    muster = await MusterProcess.prepare({ ...ports, dataDirectory: original });
    await muster.start();
    const client = new RestClient(muster.restUrl);
    const version = { openshift_version: '4.18', pull_secret: PULL_SECRET };
    const infraEnv = await client.post<{ id: string }>('/infra-envs', { ...version, name: 'backup' });
    const hosts = `/infra-envs/${infraEnv.id}/hosts`;
    const addHost = async (bytes: number): Promise<void> => {
      const id = randomUUID();
      await client.post(hosts, { host_id: id, discovery_agent_version: '1' });
      const reply = { step_type: 'inventory', step_id: 'inventory-1', exit_code: 0, error: '' };
      await client.post(`${hosts}/${id}/instructions`, { ...reply, output: inventoryOf(`host-${id}`, bytes) });
    };
    const state = async () => {
      const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
      const image = await fetch(url);
      expect(image.status).toBe(200);
      // The image contains the pull secret, the token, and the credentials of the bus.
      const digest = createHash('sha256')
        .update(Buffer.from(await image.arrayBuffer()))
        .digest('hex');
      const found = await client.get<readonly HostView[]>(hosts);
      return { digest, inventories: new Map(found.map(({ id, inventory }) => [id, inventory])) };
    };
    for (let index = 0; index < HOSTS_BEFORE; index += 1) await addHost(index === 0 ? LARGE_BYTES : 0);
    const before = await state();

    let isDone = false;
    let added = 0;
    const load = (async () => {
      for (; !isDone; added += 1) await addHost(0);
    })();
    await store(original, 'backup', '--all', copy).finally(() => (isDone = true));
    await load;
    // Otherwise nothing was written during the backup.
    expect(added).toBeGreaterThan(0);

    await muster.stop();
    await copyFile(join(original, 'master.key'), join(copy, 'master.key'));
    muster = await MusterProcess.prepare({ ...ports, dataDirectory: copy });
    await muster.start();
    const after = await state();
    expect(after.digest).toBe(before.digest);
    expect(before.inventories.size).toBe(HOSTS_BEFORE);
    for (const [id, inventory] of before.inventories) {
      expect(JSON.parse(inventory ?? '')).toMatchObject({ hostname: `host-${id}` });
      expect(after.inventories.get(id)).toBe(inventory);
    }
    await muster.stop();
    expect(await store(copy, 'verify')).toContain('is sound.');
  });
});
