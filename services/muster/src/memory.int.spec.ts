import { randomUUID } from 'node:crypto';
import { START_OF_STORE } from '@muster/ports';
import { embeddedSettings, eventually, sampleInventory, temporaryDirectory } from '@muster/testing';
import { type RunningMuster, startEmbedded } from './embedded';
import { type GrownCollection, LiveCollections } from './live-collections.fixture.spec';

/** More than the closed entries of one kind that stay in memory, so that those caches are full. */
const CLUSTERS_BEFORE = 280;
const CLUSTERS = 60;
const AT_ONCE = 6;
const COMMON = { name: 'one', openshift_version: '4.18', pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}' };
const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('the memory of all services', () => {
  const directory = temporaryDirectory();
  const collections = new LiveCollections();
  let muster: RunningMuster;
  let url = '';
  beforeAll(async () => {
    const settings = { ...embeddedSettings(directory.path), DELETED_UNREGISTERED_AFTER: '1s' };
    muster = await startEmbedded(settings, SILENT);
    url = `${muster.services.find(({ name }) => name === 'gateway')?.endpoints[0]}/api/assisted-install/v2`;
    await collections.open();
  }, 60_000);
  afterAll(async () => {
    collections.close();
    await muster.close();
    directory.remove();
  });

  const send = async (method: string, path: string, body?: object): Promise<string> => {
    // A kept connection could end while the process, which is the client too, collects garbage for seconds.
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const create = async (path: string, body: object): Promise<string> =>
    (JSON.parse(await send('POST', path, body)) as { id: string }).id;

  const createAndDelete = async (): Promise<void> => {
    const cluster = `/clusters/${await create('/clusters', { ...COMMON, base_dns_domain: 'example.com' })}`;
    const infraEnv = `/infra-envs/${await create('/infra-envs', { ...COMMON, cluster_id: cluster.slice('/clusters/'.length) })}`;
    const host = `${infraEnv}/hosts/${await create(`${infraEnv}/hosts`, { host_id: randomUUID(), discovery_agent_version: 'a' })}`;
    await send('GET', `${host}/instructions`);
    const output = JSON.stringify(sampleInventory());
    const reply = { step_type: 'inventory', step_id: 'inventory-1', exit_code: 0, error: '', output };
    await send('POST', `${host}/instructions`, reply);
    for (const path of [cluster, host]) await send('GET', path);
    for (const path of [host, infraEnv, cluster]) await send('DELETE', path);
  };
  let deleted = 0;
  /** Resolves when the retention of the deleted hosts and clusters is over. */
  const createAndDeleteMany = async (count: number): Promise<void> => {
    const worker = async (_: unknown, index: number): Promise<void> => {
      for (let done = index; done < count; done += AT_ONCE) await createAndDelete();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    deleted += count;
    await eventually('the retention is over', async () => {
      let over = 0;
      for await (const page of muster.platform.eventStore.readAll(START_OF_STORE))
        for (const { type } of page) if (type === 'ClusterDeadlinePassed' || type === 'HostDeadlinePassed') over += 1;
      return over >= 2 * deleted;
    });
    await muster.platform.states.save();
  };

  it('does not grow with clusters, infra-envs and hosts that were deleted', async () => {
    await createAndDeleteMany(CLUSTERS_BEFORE);
    await collections.record();
    await createAndDeleteMany(CLUSTERS);
    let grown: readonly GrownCollection[] = [];
    await eventually('no collection has grown', async () => {
      await muster.platform.states.save();
      grown = await collections.grown(CLUSTERS / 2, CLUSTERS_BEFORE);
      return grown.length === 0;
    }).catch(() => undefined);
    expect(grown).toEqual([]);
  }, 300_000);
});
