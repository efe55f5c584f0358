import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createReportReader } from '@muster/inventory';
import { renderJoiningIgnition, toDataUrl } from '@muster/ignition-config';
import { portOf } from '@muster/nest-kit';
import { fetchApiVipIgnition } from '@muster/service-agent';
import { controllerManifests, parseInstallFlags } from '@muster/service-installer';
import { makeFakeArtifacts } from '../fake-artifacts.fixture.spec';
import { applyIgnition, createScratchRoots, type ScratchRoots } from '../scratch-root/scratch-roots';
import { type MachineConfigServer, startMachineConfigServer } from '../world/machine-config-server';
import { createSimulatedTimer } from '../timer';
import { createSimulatedWorld } from '../world/simulated-cluster';
import { becomeNode } from './node';
import { readBootstrapManifests, readIgnition, withFetched } from './ignition-documents';

const HOST = { id: '00000000-0000-4000-8000-000000000001', role: 'master', hostname: 'a' };
let roots: ScratchRoots;
let server: MachineConfigServer;
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  roots = createScratchRoots();
  files = await makeFakeArtifacts('c1000000-0000-4000-8000-000000000002', [HOST], 3);
  const root = roots.fresh('bootstrap', 'live');
  applyIgnition(configOf('bootstrap.ign'), root);
  server = await startMachineConfigServer(root);
});
afterAll(() => {
  server.close();
  roots.remove();
});
const configOf = (name: string) => readIgnition(Buffer.from(files.get(name) ?? ''), name);
const joining = {
  endpoint: 'http://api.fake.example.com:22624/config',
  pool: 'worker',
  caPem: '',
  token: '',
  headers: {},
};

describe('a machine that boots from its disk', () => {
  /** A way to the server that closes its first connections without an answer. */
  const unsteady = async (closes: number): Promise<{ readonly port: number; readonly close: () => void }> => {
    let left = closes;
    const way = createServer((socket) => {
      if (left > 0) {
        left -= 1;
        socket.destroy();
        return;
      }
      const further = connect(server.tlsPort, '127.0.0.1');
      pipeline(socket, further, socket, () => undefined);
    });
    await once(way.listen(0, '127.0.0.1'), 'listening');
    return { port: portOf(way), close: () => way.close() };
  };

  it('repeats the download of the config of its pool, as Ignition does', async () => {
    const way = await unsteady(2);
    const world = createSimulatedWorld();
    const troubles: string[] = [];
    try {
      const cluster = world.cluster('c1000000-0000-4000-8000-000000000002');
      cluster.machineConfigServer = { ...server, tlsPort: way.port, close: () => undefined };
      const system = {
        clusterId: cluster.clusterId,
        path: 'master',
        config: configOf(`master-${HOST.id}.ign`),
      } as const;
      const observer = { onTrouble: (_host: object, what: string) => void troubles.push(what) };
      const timer = createSimulatedTimer({ timeScale: 10_000, pollMsMin: 1 });
      const self = { hostId: HOST.id, hostname: HOST.hostname };
      await becomeNode({ self, system, world, timer, observer }, new AbortController().signal);
      expect(cluster.nodes.get(HOST.id)).toEqual({ isControlPlane: true, isReady: true });
      expect(troubles).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/could not fetch .*is repeated/)));
    } finally {
      way.close();
      world.close();
    }
  });
});

describe('the machine-config server of a simulated cluster', () => {
  it('returns the config of their pool to hosts of the installation over TLS', async () => {
    const { storage } = await withFetched(configOf(`master-${HOST.id}.ign`), server);
    expect(storage?.files?.map(({ path }) => path)).toEqual([
      '/etc/hostname',
      '/etc/kubernetes/manifests/coredns.yaml',
      '/etc/kubernetes/manifests/keepalived.yaml',
      '/etc/ignition-machine-config-encapsulated.json',
    ]);
  });

  it('returns the config of their pool to hosts that join later without TLS', async () => {
    const { storage } = await withFetched(renderJoiningIgnition(joining), server);
    expect(storage?.files?.map(({ path }) => path)).toEqual([
      '/etc/kubernetes/manifests/coredns.yaml',
      '/etc/kubernetes/manifests/keepalived.yaml',
      '/etc/ignition-machine-config-encapsulated.json',
    ]);
  });

  it('refuses a pool that does not exist', async () => {
    await expect(withFetched(renderJoiningIgnition({ ...joining, pool: 'infra' }), server)).rejects.toThrow(
      /answered 404/,
    );
  });

  it('is reachable under both names of the API only, for agents that check whether a host can join', async () => {
    expect(server.names).toEqual(expect.arrayContaining(['api.fake.example.com', 'api-int.fake.example.com']));
    expect(server.names.filter((name) => !name.endsWith('.fake.example.com'))).toEqual(['192.168.111.100']);
    const order = { url: `http://127.0.0.1:${server.plainPort}/config/worker`, caCertificatePem: '', token: '' };
    const report = await fetchApiVipIgnition({ ...order, requestHeaders: [] }, new AbortController().signal);
    expect(report).toMatchObject({ is_success: true, download_error: '' });
    expect((await fetch(order.url)).status).toBe(404);
  });

  it('tells the service, through the agent, with which CoreOS image a joining host is installed', async () => {
    const url = `http://127.0.0.1:${server.plainPort}/config/worker`;
    const order = { url, caCertificatePem: '', token: '', requestHeaders: [] };
    const output = JSON.stringify(await fetchApiVipIgnition(order, new AbortController().signal));
    const read = createReportReader({ keepsVirtualInterfaces: false, digest: () => 'sha256:0' });
    const hostKey = `00000000-0000-4000-8000-000000000003.${HOST.id}`;
    const result = read({
      stepType: 'api-vip-connectivity-check',
      exitCode: 0,
      output,
      error: '',
      hostKey,
      generation: 1,
    });
    expect(result).toMatchObject({
      kind: 'read',
      report: { event: { data: { isSuccess: true, osImageUrl: 'quay.io/simulated/coreos@sha256:0' } } },
    });
    expect(output).not.toContain('rendered-worker');
  });

  it('is not trusted under another name', async () => {
    const config = configOf(`master-${HOST.id}.ign`);
    const merge = [{ source: 'https://other.example.com:22623/config/master' }];
    const elsewhere = { ...config, ignition: { ...config.ignition, config: { merge } } };
    await expect(withFetched(elsewhere, server)).rejects.toThrow(/certificate/);
  });
});

describe('a scratch root', () => {
  const file = (path: string, more: object = {}) => ({
    ignition: { version: '3.2.0' },
    storage: { files: [{ path, contents: { source: toDataUrl('x') }, ...more }] },
  });

  it('refuses paths outside of its folder', () => {
    expect(() => applyIgnition(file('/../x'), roots.fresh('a', 'live'))).toThrow(/not a path that Ignition accepts/);
  });

  it('keeps files that a config may not overwrite', () => {
    const root = roots.fresh('a', 'live');
    applyIgnition(file('/etc/x'), root);
    expect(() => applyIgnition(file('/etc/x'), root)).toThrow(/may not be overwritten/);
    applyIgnition(file('/etc/x', { overwrite: true }), root);
  });
});

describe('the Job of the controller', () => {
  const CA_PATH = '/etc/assisted-service/service-ca-cert.crt';
  /** Returns the settings of the controller after the bootstrap host created its manifests. `spoil` may change them. */
  const settingsFrom = (token: string, flags: readonly string[], spoil = (text: string): string => text) => {
    const root = roots.fresh('controller', 'live');
    const required = ['--cluster-id', 'c', '--host-id', 'h', '--url', 'https://192.0.2.1:8090', '--boot-device', 'd'];
    const settings = parseInstallFlags([...required, ...flags], { PULL_SECRET_TOKEN: token });
    const folder = join(root, '/opt/openshift/manifests');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of controllerManifests(settings)) writeFileSync(join(folder, name), spoil(text));
    mkdirSync(join(root, CA_PATH, '..'), { recursive: true });
    writeFileSync(join(root, CA_PATH), 'PEM');
    return readBootstrapManifests(root, 'a').controllerConfig;
  };

  it('gives the controller all its settings', () => {
    const flags = ['--openshift-version', '4.18.3', '--must-gather-image', 'quay.io/gather:1', '--cacert', CA_PATH];
    const switches = ['--insecure', '--check-cluster-version', '--notify-num-reboots', '--control-plane-count', '5'];
    expect(settingsFrom('a-token', [...flags, ...switches])).toEqual({
      agentVersion: 'a',
      caPem: 'PEM',
      checksClusterVersion: true,
      clusterId: 'c',
      controlPlaneCount: 5,
      isInsecure: true,
      mustGatherImage: 'quay.io/gather:1',
      notifiesReboots: true,
      openshiftVersion: '4.18.3',
      serviceUrl: 'https://192.0.2.1:8090',
      token: 'a-token',
    });
  });

  it('gives the controller no token and no certificate when the service needs none', () => {
    expect(settingsFrom('', ['--control-plane-count', '1'])).toMatchObject({ token: '', caPem: undefined });
  });

  it.each([
    ['a file, for controllers that read no variable', 'PULL_SECRET_TOKEN'],
    ['a variable, for controllers that read no file', '/etc/assisted-installer-controller'],
  ])('gives the controller its token in %s', (_, lost) => {
    const flags = ['--control-plane-count', '1'];
    expect(settingsFrom('a-token', flags, (text) => text.replace(lost, 'lost'))).toMatchObject({ token: 'a-token' });
  });

  it('does not start when the Secret lacks the key', () => {
    expect(() =>
      settingsFrom('a-token', ['--control-plane-count', '1'], (text) =>
        text.replace('"pull-secret-token":', '"other":'),
      ),
    ).toThrow(/"assisted-installer-controller-secret" has no key "pull-secret-token"/);
  });
});
