import { randomUUID } from 'node:crypto';
import { createJsonParser, createJsonReader, valueOf } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { createHttpClient, type HttpCall, ObjectsOfList, type RetryPolicy } from './http/http-client';
import type { ProxySettings } from './http/proxy';
import type { Timer } from './timer';

/** Returns body and headers of a form with one file, in the form field of the v2 API. */
export function multipartFile(
  fileName: string,
  content: Buffer,
): { readonly body: Buffer; readonly headers: { readonly 'content-type': string } } {
  const boundary = `muster-${randomUUID()}`;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="upfile"; filename="${fileName}"`,
    'Content-Type: application/gzip',
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** Prefix of the v2 paths, below the service's address. */
export const API_PREFIX = '/api/assisted-install';

/**
 * The calls of the v2 API that the installer and the controller make.
 * @throws HttpRefused
 * @throws ServiceUnreachable
 */
export interface ServiceApi {
  cluster(clusterId: string, withHosts: boolean, signal: AbortSignal): Promise<ServiceCluster>;
  hostsOfRole(clusterId: string, role: string, signal: AbortSignal): Promise<readonly ServiceHost[]>;
  clusterFile(clusterId: string, fileName: string, signal: AbortSignal): Promise<Buffer>;
  credentials(clusterId: string, fileName: string, signal: AbortSignal): Promise<Buffer>;
  hostIgnition(host: HostRef, signal: AbortSignal): Promise<Buffer>;
  reportHostProgress(host: HostRef, stage: string, info: string, signal: AbortSignal): Promise<void>;
  reportHostLogs(host: HostRef, state: LogsState, signal: AbortSignal): Promise<void>;
  uploadHostLogs(clusterId: string, host: HostRef, archive: Buffer, signal: AbortSignal): Promise<void>;
  reportClusterLogs(clusterId: string, state: LogsState, signal: AbortSignal): Promise<void>;
  uploadControllerLogs(clusterId: string, archive: Buffer, signal: AbortSignal): Promise<void>;
  reportFinalizingStage(clusterId: string, stage: string, signal: AbortSignal): Promise<void>;
  operators(clusterId: string, signal: AbortSignal): Promise<readonly ServiceOperator[]>;
  reportOperator(clusterId: string, operator: ServiceOperator, signal: AbortSignal): Promise<void>;
  uploadIngressCa(clusterId: string, pem: string, signal: AbortSignal): Promise<void>;
  completeInstallation(clusterId: string, result: InstallationResult, signal: AbortSignal): Promise<void>;
  createEvent(event: ServiceEvent, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface HostRef {
  readonly infraEnvId: string;
  readonly hostId: string;
}
/** The result of an installation as the controller reports it. */
export interface InstallationResult {
  readonly isSuccess: boolean;
  readonly errorInfo?: string;
  readonly data?: { readonly [name: string]: unknown };
}

/** An entry for the event log of the cluster. */
export interface ServiceEvent {
  readonly cluster_id: string;
  readonly host_id?: string;
  readonly infra_env_id?: string;
  readonly name: string;
  readonly category: 'user' | 'metrics';
  readonly severity: 'info' | 'warning' | 'error' | 'critical';
  readonly message: string;
  /** RFC 3339. The v2 API requires it; the log has the time at which the event was stored. */
  readonly event_time: string;
}

export type LogsState = 'requested' | 'collecting' | 'completed';

const optionalText = Type.Optional(Type.String());

const SERVICE_HOST = Type.Object({
  id: Type.String(),
  infra_env_id: optionalText,
  status: Type.String(),
  role: optionalText,
  bootstrap: Type.Optional(Type.Boolean()),
  requested_hostname: optionalText,
  /** JSON text of the host's inventory. */
  inventory: optionalText,
  /** JSON object of labels, as text. */
  node_labels: optionalText,
  machine_config_pool_name: optionalText,
  progress: Type.Optional(Type.Object({ current_stage: optionalText })),
});
/** The members that the callers use. The service sends further members. */
export type ServiceHost = Readonly<Static<typeof SERVICE_HOST>>;

const ESSENTIAL_INVENTORY = Type.Object({
  hostname: optionalText,
  interfaces: Type.Optional(
    Type.Array(
      Type.Object({
        ipv4_addresses: Type.Optional(Type.Array(Type.String())),
        ipv6_addresses: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
});
const parseInventory = createJsonParser(ESSENTIAL_INVENTORY, {
  name: 'inventory',
  nullIsAbsent: true,
  dropsUnknown: true,
});

/** Returns the part of an inventory that the callers use: the name and the addresses of the host. */
export const essentialInventory = ({ inventory }: ServiceHost): Static<typeof ESSENTIAL_INVENTORY> =>
  valueOf(parseInventory(inventory || '{}')) ?? {};

const SERVICE_CLUSTER = Type.Object({
  kind: optionalText,
  status: Type.String(),
  hosts: Type.Optional(Type.Array(SERVICE_HOST)),
  openshift_version: optionalText,
  install_config_overrides: optionalText,
  control_plane_count: Type.Optional(Type.Integer()),
  platform: Type.Optional(Type.Object({ type: optionalText })),
  progress: Type.Optional(
    Type.Object({ finalizing_stage: optionalText, finalizing_stage_timed_out: Type.Optional(Type.Boolean()) }),
  ),
});
export type ServiceCluster = Readonly<Static<typeof SERVICE_CLUSTER>>;

const SERVICE_OPERATOR = Type.Object({
  name: Type.String(),
  operator_type: optionalText,
  status: optionalText,
  status_info: optionalText,
  version: optionalText,
  namespace: optionalText,
  subscription_name: optionalText,
});
export type ServiceOperator = Readonly<Static<typeof SERVICE_OPERATOR>>;

const RESPONSE = { name: 'the response', nullIsAbsent: true };
const readCluster = createJsonReader(SERVICE_CLUSTER, RESPONSE);
const readWholeHost = createJsonReader(SERVICE_HOST, { ...RESPONSE, dropsUnknown: true });
const readHost = (text: string): ServiceHost => {
  const host = readWholeHost(text);
  return host.inventory ? { ...host, inventory: JSON.stringify(essentialInventory(host)) } : host;
};
const readOperators = createJsonReader(Type.Array(SERVICE_OPERATOR), RESPONSE);

export interface ServiceAccess {
  /** `http://host:port`, without the prefix of the API. */
  readonly serviceUrl: string;
  /** Sent as X-Secret-Key when it is not empty. */
  readonly token: string;
  /** Image reference or version of the calling program. */
  readonly agentVersion: string;
  /** PEM of the certificate authority that signed the service's certificate. */
  readonly caPem?: string;
  readonly isInsecure?: boolean;
  readonly proxy?: ProxySettings;
  /** Called before a call is repeated. */
  readonly onRetry?: (failure: Error, delayMs: number) => void;
}

export function createServiceApi(access: ServiceAccess, retries: RetryPolicy, timer: Timer): ServiceApi {
  const client = createHttpClient({
    baseUrl: access.serviceUrl.replace(/\/+$/, '') + API_PREFIX,
    headers: {
      discovery_agent_version: access.agentVersion,
      ...(access.token && { 'X-Secret-Key': access.token }),
    },
    caPem: access.caPem,
    isInsecure: access.isInsecure,
    proxy: access.proxy,
    onRetry: access.onRetry,
    sendsJsonErrors: true,
    retries,
    timer,
  });
  const { call } = client;
  const json = async <T>(read: (text: string) => T, what: HttpCall, signal: AbortSignal): Promise<T> =>
    read((await call(what, signal)).body.toString('utf8'));
  // The answer may be the whole cluster.
  const done = async (what: HttpCall, signal: AbortSignal): Promise<void> =>
    void (await call({ ...what, readsParts: () => () => undefined }, signal));
  /** The inventories of the hosts of a large cluster are hundreds of megabytes. */
  const hostsIn = async (path: string, query: HttpCall['query'], signal: AbortSignal): Promise<ServiceHost[]> => {
    let hosts = new ObjectsOfList(readHost);
    const readsParts = (): ((part: Buffer) => void) => {
      hosts = new ObjectsOfList(readHost);
      return (part) => hosts.add(part);
    };
    await call({ method: 'GET', path, query, readsParts }, signal);
    return hosts.all();
  };
  const bytes = async (path: string, query: HttpCall['query'], signal: AbortSignal): Promise<Buffer> =>
    (await call({ method: 'GET', path, query }, signal)).body;
  const clusterPath = (clusterId: string): string => `/v2/clusters/${clusterId}`;
  const hostPath = (host: HostRef): string => `/v2/infra-envs/${host.infraEnvId}/hosts/${host.hostId}`;
  const upload = (clusterId: string, query: HttpCall['query'], name: string, archive: Buffer, signal: AbortSignal) =>
    done({ method: 'POST', path: `${clusterPath(clusterId)}/logs`, query, ...multipartFile(name, archive) }, signal);

  return {
    cluster: async (clusterId, withHosts, signal) => {
      const path = clusterPath(clusterId);
      const cluster = await json(readCluster, { method: 'GET', path, query: { 'exclude-hosts': 'true' } }, signal);
      if (!withHosts) return cluster;
      // The cluster itself contains what each host reported about all others: 127 MiB with 500 hosts.
      const query = { 'with-inventory': 'true' };
      return { ...cluster, hosts: await hostsIn(`${path}/hosts`, query, signal) };
    },
    hostsOfRole: (clusterId, role, signal) => hostsIn(`${clusterPath(clusterId)}/hosts`, { role }, signal),
    clusterFile: (clusterId, file_name, signal) =>
      bytes(`${clusterPath(clusterId)}/downloads/files`, { file_name }, signal),
    credentials: (clusterId, file_name, signal) =>
      bytes(`${clusterPath(clusterId)}/downloads/credentials`, { file_name }, signal),
    // Only this path of the v2 API has `infra-env` without an s.
    hostIgnition: ({ infraEnvId, hostId }, signal) =>
      bytes(`/v2/infra-env/${infraEnvId}/hosts/${hostId}/downloads/ignition`, undefined, signal),
    reportHostProgress: (host, current_stage, progress_info, signal) =>
      done({ method: 'PUT', path: `${hostPath(host)}/progress`, json: { current_stage, progress_info } }, signal),
    reportHostLogs: (host, logs_state, signal) =>
      done({ method: 'PUT', path: `${hostPath(host)}/logs-progress`, json: { logs_state } }, signal),
    uploadHostLogs: (clusterId, { hostId, infraEnvId }, archive, signal) =>
      upload(
        clusterId,
        { logs_type: 'host', host_id: hostId, infra_env_id: infraEnvId },
        `${hostId}.tar.gz`,
        archive,
        signal,
      ),
    reportClusterLogs: (clusterId, logs_state, signal) =>
      done({ method: 'PUT', path: `${clusterPath(clusterId)}/logs-progress`, json: { logs_state } }, signal),
    uploadControllerLogs: (clusterId, archive, signal) =>
      upload(clusterId, { logs_type: 'controller' }, 'controller_logs.tar.gz', archive, signal),
    reportFinalizingStage: (clusterId, finalizing_stage, signal) =>
      done({ method: 'PUT', path: `${clusterPath(clusterId)}/progress`, json: { finalizing_stage } }, signal),
    operators: (clusterId, signal) =>
      json(readOperators, { method: 'GET', path: `${clusterPath(clusterId)}/monitored-operators` }, signal),
    reportOperator: (clusterId, { name, status, status_info, version }, signal) =>
      done(
        {
          method: 'PUT',
          path: `${clusterPath(clusterId)}/monitored-operators`,
          json: { name, status, status_info, version },
        },
        signal,
      ),
    uploadIngressCa: (clusterId, pem, signal) =>
      done({ method: 'POST', path: `${clusterPath(clusterId)}/uploads/ingress-cert`, json: pem }, signal),
    completeInstallation: (clusterId, { isSuccess, errorInfo, data }, signal) =>
      done(
        {
          method: 'POST',
          path: `${clusterPath(clusterId)}/actions/complete-installation`,
          json: { is_success: isSuccess, error_info: errorInfo, data },
        },
        signal,
      ),
    createEvent: (event, signal) => {
      // The call is repeated when its answer is lost, and each event would be in the log again.
      const headers = { 'Idempotency-Key': randomUUID() };
      return done({ method: 'POST', path: '/v2/events', headers, json: event }, signal);
    },
    close: () => client.close(),
  };
}
