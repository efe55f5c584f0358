import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_RETRIES } from './http/http-client';
import { addressesOf, nodeNameOf } from './kube-resources';
import { createServiceApi } from './service-api';
import { realTimer } from './timer';

const MIB = 1024 * 1024;
/** More than a client keeps in memory. */
const HOSTS = 66;
const OPTIONS = { isSuccess: true };

describe('the answers about a cluster that is too large to be kept in memory', () => {
  let server: Server;
  let respond: (path: string) => readonly (string | Buffer)[] = () => [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      for (const part of respond(request.url ?? '')) response.write(part);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const { signal } = new AbortController();
  const open = (): ReturnType<typeof createServiceApi> => {
    const { port } = server.address() as AddressInfo;
    const access = { serviceUrl: `http://127.0.0.1:${port}`, token: '', agentVersion: '' };
    return createServiceApi(access, NO_RETRIES, realTimer);
  };

  it('are dropped when nothing in them is used', async () => {
    const paths: string[] = [];
    respond = (path) => (paths.push(path), Array<Buffer>(HOSTS).fill(Buffer.alloc(MIB, ' ')));
    const api = open();
    await api.completeInstallation('c1', OPTIONS, signal);
    expect(paths).toEqual(['/api/assisted-install/v2/clusters/c1/actions/complete-installation']);
    const read = api.cluster('c1', false, signal);
    await expect(read).rejects.toThrow('the answer is larger than 67108864 bytes');
    api.close();
  });

  it('are read host by host', async () => {
    const inventoryOf = (host: number): string =>
      JSON.stringify({
        hostname: `host-${host}`,
        interfaces: [{ ipv4_addresses: [`10.0.0.${host}/24`], ipv6_addresses: null, name: 'ü"}]\\' }],
        disks: [{ smart: `{["\\${' '.repeat(MIB)}` }],
      });
    const hosts = Array.from({ length: HOSTS }, (_, host) => ({
      id: `h${host}`,
      status: 'known',
      nested: { list: [[{}], '}]'] },
      inventory: inventoryOf(host),
    }));
    respond = (path) =>
      path.includes('/hosts')
        ? [' [', ...hosts.flatMap((host, index) => [index === 0 ? '' : ' ,\n', JSON.stringify(host)]), ']\n']
        : ['{"status":"installing"}'];
    const api = open();
    const { hosts: read = [] } = await api.cluster('c1', true, signal);
    expect(read.map((host) => [host.id, nodeNameOf(host), addressesOf(host)])).toEqual(
      hosts.map(({ id }, host) => [id, `host-${host}`, [`10.0.0.${host}`]]),
    );
    api.close();
  });

  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[{"id":"a","status":"known","inventory":null},{"id":"b","status":"known"}]', ['a', 'b']],
  ])('are the hosts in %s', async (text, ids) => {
    respond = () => Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
    const api = open();
    expect((await api.hostsOfRole('c1', 'master', signal)).map(({ id }) => id)).toEqual(ids);
    api.close();
  });

  it.each([
    '',
    '{}',
    'null',
    '[',
    '[{"id":"a","status":"known"}',
    '[{"id":"a"}]',
    '[1]',
    '[]]',
    '[{"id":"a","status":}]',
  ])('are refused when they are not a list of hosts: %j', async (text) => {
    respond = () => [text];
    const api = open();
    await expect(api.hostsOfRole('c1', 'master', signal)).rejects.toThrow(/the response/);
    api.close();
  });
});

it('an event whose answer is lost is sent again with the same key, and another event with another key', async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    if (keys.length === 1) response.destroy();
    else response.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timer = { sleep: () => Promise.resolve() };
  const api = createServiceApi({ serviceUrl, token: '', agentVersion: '' }, { retriesMax: () => 1 }, timer);
  const about = { cluster_id: 'c1', name: 'reboots_for_node', event_time: '2026-01-01T00:00:00.000Z' };
  for (const message of ['once', 'twice'])
    await api.createEvent({ ...about, category: 'user', severity: 'info', message }, new AbortController().signal);
  api.close();
  server.close();
  const [first, repeated, other] = keys;
  expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
  expect(repeated).toBe(first);
  expect(other).not.toBe(first);
});
