import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DiscoverySettings, Inventory } from '@muster/service-agent';
import { type FakeHost, makeFakeArtifacts } from './fake-artifacts.fixture.spec';
import { HOST_STAGES, type StagePath } from './installation/host-stages';

export const CLUSTER_ID = 'c1000000-0000-4000-8000-000000000001';
export const INFRA_ENV_ID = '0b5e6f0e-6f4b-4f0e-9a55-4a8f3a5b8f10';
const TOKEN = 'infra-env-token';
const MIN_MEMORY_BYTES = 8 * 1024 ** 3;

interface Host {
  readonly id: string;
  status: string;
  role: string;
  bootstrap: boolean;
  inventory?: Inventory;
  stages: string[];
  progress: { current_stage?: string };
  registrations: number;
}

/** The host as the v2 API gives it: with its inventory as text. */
const presented = ({ inventory, ...host }: Host): object => ({
  ...host,
  inventory: JSON.stringify(inventory),
  infra_env_id: INFRA_ENV_ID,
});

/** A v2 service for one installation. It checks the order of stages, statuses and tokens as the real one. */
export async function startFakeService(
  expected: {
    readonly masters: number;
    readonly workers: number;
    readonly spoil?: (name: string, text: string) => string;
  },
  port = 0,
) {
  const makeArtifacts = (hosts: readonly FakeHost[]) =>
    makeFakeArtifacts(CLUSTER_ID, hosts, expected.masters, expected.spoil);
  const hosts = new Map<string, Host>();
  const calls: string[] = [];
  const finalizingStages: string[] = [];
  const refusals: string[] = [];
  /** Reasons that hosts reported with the stage Failed. */
  const failures: string[] = [];
  const operators = [{ name: 'console', operator_type: 'builtin', status: 'progressing', version: '4.18.0' }];
  const logs = new Map<string, Buffer>();
  let artifacts: Promise<ReadonlyMap<string, string>> | undefined;
  let files: ReadonlyMap<string, string> = new Map();
  let ingressCa = '';
  let completed = false;
  const count = expected.masters + expected.workers;
  const isSingleNode = expected.masters === 1;

  const pathOf = (host: Host): StagePath =>
    host.bootstrap ? (isSingleNode ? 'single-node' : 'bootstrap') : host.role === 'worker' ? 'worker' : 'master';
  const clusterStatus = (): string => {
    const all = [...hosts.values()];
    if (all.some(({ status }) => status === 'error')) return 'error';
    const masters = all.filter(({ role, status }) => role === 'master' && status === 'installed');
    if (masters.length < expected.masters)
      return all.some(({ stages }) => stages.length > 0) ? 'installing' : 'insufficient';
    const isDone = all.every(({ status }) => status === 'installed') && ingressCa !== '' && completed;
    return isDone && operators.every(({ status }) => status === 'available') ? 'installed' : 'finalizing';
  };
  const begin = (): void => {
    const ready = [...hosts.values()].filter(
      ({ inventory }) => (inventory?.memory.physical_bytes ?? 0) >= MIN_MEMORY_BYTES,
    );
    if (ready.length < count) return;
    const news = ready.filter((host) => {
      const index = ready.indexOf(host);
      if (host.status !== 'discovering') return false;
      host.role = index < expected.masters ? 'master' : 'worker';
      host.bootstrap = index === 0;
      return true;
    });
    // Steps that depend on the results of others are returned later.
    artifacts ??= makeArtifacts(
      ready.map(({ id, role, inventory }) => ({ id, role, hostname: inventory?.hostname ?? '' })),
    );
    void artifacts.then((made) => {
      files = made;
      for (const host of news) if (host.status === 'discovering') host.status = 'installing';
    });
  };
  const installStep = (host: Host): object => ({
    step_type: 'install',
    step_id: 'install-1',
    args: [
      JSON.stringify({
        role: host.bootstrap ? 'bootstrap' : host.role,
        cluster_id: CLUSTER_ID,
        infra_env_id: INFRA_ENV_ID,
        host_id: host.id,
        boot_device: host.inventory?.disks.find((disk) => disk.installation_eligibility.eligible)?.id,
        controller_image: 'quay.io/controller:1',
        installer_image: 'quay.io/installer:1',
        control_plane_count: expected.masters,
      }),
    ],
  });
  const file = (name: string): [number, unknown?] => {
    const text = files.get(name);
    return text === undefined ? [404, { reason: `there is no ${name}` }] : [200, JSON.parse(text)];
  };
  const progress = (host: Host, stage: string, info: string): [number, unknown?] => {
    if (stage === 'Failed') {
      failures.push(info);
      host.status = 'error';
      return [200];
    }
    const path: readonly string[] = HOST_STAGES[pathOf(host)];
    const last = host.stages.at(-1) ?? '';
    if (stage === last) return [200];
    const isAllowed =
      ['installing', 'installing-in-progress'].includes(host.status) && path.indexOf(stage) > path.indexOf(last);
    if (!isAllowed) {
      refusals.push(`${pathOf(host)}: ${last} -> ${stage}`);
      return [409, { reason: `no way from ${last} to ${stage}` }];
    }
    host.stages.push(stage);
    host.progress = { current_stage: stage };
    host.status = stage === 'Done' ? 'installed' : 'installing-in-progress';
    return [200];
  };

  const answer = (method: string, url: URL, body: Buffer): [number, unknown?] => {
    const path = url.pathname.replace('/api/assisted-install/v2', '');
    const json = <T>(): T => JSON.parse(body.toString('utf8')) as T;
    const host = hosts.get(/\/hosts\/([0-9a-f-]{36})/.exec(path)?.[1] ?? '');
    if (method === 'POST' && path === `/infra-envs/${INFRA_ENV_ID}/hosts`) {
      const { host_id } = json<{ host_id: string }>();
      const known = hosts.get(host_id);
      if (known && known.stages.length > 0) {
        known.registrations += 1;
        known.status = 'error';
      } else {
        const registrations = (known?.registrations ?? 0) + 1;
        hosts.set(host_id, {
          id: host_id,
          status: 'discovering',
          role: '',
          bootstrap: false,
          stages: [],
          progress: {},
          registrations,
        });
      }
      const arg = { infra_env_id: INFRA_ENV_ID, host_id, agent_version: 'quay.io/agent:1' };
      return [201, { next_step_runner_command: { args: [JSON.stringify(arg)] } }];
    }
    if (path.endsWith('/instructions') && host) {
      if (method === 'POST') {
        const reply = json<{ step_type: string; exit_code: number; output: string }>();
        if (reply.step_type === 'inventory') host.inventory = JSON.parse(reply.output) as Inventory;
        if (reply.step_type === 'install' && reply.exit_code !== 0) host.status = 'error';
        begin();
        return [204];
      }
      const inventory = { step_type: 'inventory', step_id: 'inventory-1', args: [host.id] };
      const steps =
        host.status === 'installing' ? [installStep(host)] : host.status === 'discovering' ? [inventory] : [];
      return [200, { next_instruction_seconds: 60, post_step_action: 'continue', instructions: steps }];
    }
    if (path.endsWith('/progress') && host) {
      const { current_stage, progress_info } = json<{ current_stage: string; progress_info: string }>();
      return progress(host, current_stage, progress_info);
    }
    if (path.endsWith('/logs-progress')) return [204];
    if (path.endsWith('/downloads/ignition') && host) return file(`${host.role}-${host.id}.ign`);
    if (path === `/clusters/${CLUSTER_ID}/downloads/files`) return file(url.searchParams.get('file_name') ?? '');
    if (path === `/clusters/${CLUSTER_ID}/hosts`) {
      const wanted = url.searchParams.get('role');
      return [200, [...hosts.values()].filter(({ role }) => wanted === null || role === wanted).map(presented)];
    }
    if (path === `/clusters/${CLUSTER_ID}/logs`) {
      logs.set(url.searchParams.get('host_id') ?? 'controller', body);
      return [204];
    }
    if (path === `/clusters/${CLUSTER_ID}/progress`) {
      finalizingStages.push(json<{ finalizing_stage: string }>().finalizing_stage);
      return [200];
    }
    if (path === `/clusters/${CLUSTER_ID}/monitored-operators`) {
      if (method === 'GET') return [200, operators];
      const report = json<{ name: string; status: string }>();
      for (const operator of operators) if (operator.name === report.name) operator.status = report.status;
      return [200];
    }
    if (path === `/clusters/${CLUSTER_ID}/uploads/ingress-cert`) return ((ingressCa = json<string>()), [201]);
    if (path === `/clusters/${CLUSTER_ID}/actions/complete-installation`) return ((completed = true), [202, {}]);
    // Programs of hosts must not read the hosts of a large cluster with everything that they reported about each other.
    if (path === `/clusters/${CLUSTER_ID}` && url.searchParams.get('exclude-hosts') === 'true')
      return [200, { status: clusterStatus() }];
    return [404, { reason: `nothing at ${method} ${path}` }];
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      calls.push(`${request.method} ${url.pathname}`);
      const isKnown = request.headers['x-secret-key'] === TOKEN;
      const [status, json] = isKnown
        ? answer(request.method ?? '', url, Buffer.concat(chunks))
        : [401, { message: 'token?' }];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json === undefined ? '' : JSON.stringify(json));
    });
  };
  let server = createServer(handle);
  const listen = (on: number): Promise<void> => new Promise((resolve) => server.listen(on, '127.0.0.1', resolve));
  await listen(port);
  const address = (server.address() as AddressInfo).port;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const settings: DiscoverySettings = {
    serviceUrl: `http://127.0.0.1:${address}`,
    infraEnvId: INFRA_ENV_ID,
    agentVersion: 'quay.io/agent:1',
    token: TOKEN,
    isInsecure: false,
  };
  return {
    settings,
    hosts,
    calls,
    refusals,
    failures,
    finalizingStages,
    logs,
    clusterStatus,
    pathOf,
    ingressCa: () => ingressCa,
    stop,
    /** Closes all connections and answers no request until `comeBack`. Stored data stays. */
    goAway: stop,
    comeBack: async () => {
      server = createServer(handle);
      await listen(address);
    },
  };
}
