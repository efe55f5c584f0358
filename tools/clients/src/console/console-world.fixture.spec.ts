import { freePort, startEmbedded } from '@muster/service-muster';
import { temporaryDirectory } from '@muster/testing';
import type { Evaluated } from './wizard-gates.fixture.spec';

export const TIMEOUT_MS = 90_000;
const LOOK_AGAIN_MS = 200;
export const PULL_SECRET = JSON.stringify({
  auths: { 'cloud.openshift.com': { auth: Buffer.from('demo:demo').toString('base64'), email: 'demo@example.com' } },
});

export type Members = { readonly [member: string]: unknown };
export interface Cluster extends Members, Evaluated {
  readonly id: string;
  readonly status: string;
  readonly status_info: string;
  readonly hosts: readonly Host[];
}
export interface Host extends Members, Evaluated {
  readonly id: string;
  readonly status: string;
  readonly infra_env_id: string;
}
export interface InfraEnv extends Members {
  readonly id: string;
}

export const UNSET_TIME = '0001-01-01T00:00:00.000Z';
/** Members that the page of a new cluster reads. */
export const NEW_CLUSTER = {
  kind: 'Cluster',
  openshift_version: expect.stringMatching(/^4\.18\./),
  name: 'web',
  base_dns_domain: 'example.com',
  hosts: [],
  api_vips: [],
  ingress_vips: [],
  machine_networks: [],
  cluster_networks: [{ cidr: '10.128.0.0/14', host_prefix: 23 }],
  service_networks: [{ cidr: '172.30.0.0/16' }],
  enabled_host_count: 0,
  schedulable_masters_forced_true: true,
  install_started_at: UNSET_TIME,
  install_completed_at: UNSET_TIME,
  controller_logs_collected_at: UNSET_TIME,
  logs_info: '',
  platform: { type: 'baremetal' },
  progress: { total_percentage: 0 },
  created_at: expect.stringMatching(/^2/),
};
/**
 * The networking form sends all of its fields with each change. The list of machine networks is empty while they are
 * derived.
 */
export const networkingForm = (clusterId: string): Members => ({
  api_vips: [{ ip: '192.168.150.100', cluster_id: clusterId }],
  ingress_vips: [{ ip: '192.168.150.101', cluster_id: clusterId }],
  machine_networks: [],
  cluster_networks: [{ cidr: '10.128.0.0/14', host_prefix: 23, cluster_id: clusterId }],
  service_networks: [{ cidr: '172.30.0.0/16', cluster_id: clusterId }],
  network_type: 'OVNKubernetes',
  user_managed_networking: false,
  vip_dhcp_allocation: false,
});
/** Members that the table of discovered hosts reads. */
export const HOST_ROW = {
  status: expect.any(String),
  role: 'auto-assign',
  bootstrap: expect.any(Boolean),
  requested_hostname: expect.stringMatching(/^web-/),
  created_at: expect.stringMatching(/^2/),
  logs_collected_at: UNSET_TIME,
  progress_stages: expect.any(Array),
  progress: expect.any(Object),
};

/** Returns paths of members that are null. The console expects a list and would fail. */
export const nullsIn = (value: unknown, path = ''): readonly string[] => {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => nullsIn(member, `${path}/${name}`));
};

export const parsed = (text: unknown): unknown => JSON.parse(String(text));

/** Polls as the console does, until the check returns no findings. */
export const until = async (what: string, look: () => Promise<readonly string[]>): Promise<void> => {
  let errors: readonly string[] = [];
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += LOOK_AGAIN_MS) {
    errors = await look();
    if (errors.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`${what}: ${errors.join('; ')}`);
};

export interface ConsoleAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A running Muster with the requests of the web console of assisted-service. */
export interface ConsoleWorld {
  /** Sends a request below `/api/assisted-install/v2` with the double and trailing slashes of the console. */
  call<Body>(method: string, path: string, body?: unknown): Promise<ConsoleAnswer<Body>>;
  /** Sends a GET request and throws unless it succeeds. */
  get<Body>(path: string): Promise<Body>;
  close(): Promise<void>;
}

/** All services with a real bus and a SQLite file, in this process. The images are simulated. */
export async function openConsoleWorld(): Promise<ConsoleWorld> {
  const directory = temporaryDirectory();
  // Images contain both URLs before the endpoints are open.
  const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const api = `http://127.0.0.1:${restPort}`;
  const silent = (): void => undefined;
  const muster = await startEmbedded(
    {
      MUSTER_DATA_DIRECTORY: directory.path,
      REST_HOST: '127.0.0.1',
      REST_PORT: String(restPort),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(imagePort),
      SERVICE_BASE_URL: api,
      IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
    },
    { log: silent, error: silent, warn: silent },
  );
  const call = async <Body>(method: string, path: string, body?: unknown): Promise<ConsoleAnswer<Body>> => {
    const response = await fetch(`${api}/api/assisted-install/v2${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'error',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
  };
  return {
    call,
    get: async <Body>(path: string) => {
      const { status, body } = await call<Body>('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    close: async () => {
      await muster.close();
      directory.remove();
    },
  };
}
