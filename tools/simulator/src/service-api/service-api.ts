import {
  API_PREFIX,
  createHttpClient,
  type DiscoverySettings,
  type HttpAnswer,
  type HttpCall,
  type Timer,
  type RetryPolicy,
} from '@muster/service-agent';
import { multipartFile } from './multipart';

/** The calls of the v2 contract that installers and in-cluster controllers make. Each throws HttpRefused, ServiceUnreachable. */
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
  completeInstallation(clusterId: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface HostRef {
  readonly infraEnvId: string;
  readonly hostId: string;
}
export type LogsState = 'requested' | 'collecting' | 'completed';

/** Members that the callers use; the service sends more. */
export interface ServiceHost {
  readonly id: string;
  readonly infra_env_id?: string;
  readonly status: string;
  readonly role?: string;
  readonly bootstrap?: boolean;
  readonly progress?: { readonly current_stage?: string };
}
export interface ServiceCluster {
  readonly kind?: string;
  readonly status: string;
  readonly hosts?: readonly ServiceHost[];
  readonly openshift_version?: string;
  readonly control_plane_count?: number;
}
export interface ServiceOperator {
  readonly name: string;
  readonly operator_type?: string;
  readonly status?: string;
  readonly status_info?: string;
  readonly version?: string;
}

export type ServiceAccess = Pick<DiscoverySettings, 'serviceUrl' | 'token' | 'agentVersion'> &
  Partial<Pick<DiscoverySettings, 'caPem' | 'isInsecure'>>;

export function createServiceApi(access: ServiceAccess, retries: RetryPolicy, timer: Timer): ServiceApi {
  const client = createHttpClient({
    baseUrl: access.serviceUrl.replace(/\/+$/, '') + API_PREFIX,
    headers: {
      discovery_agent_version: access.agentVersion,
      ...(access.token && { 'X-Secret-Key': access.token }),
    },
    caPem: access.caPem,
    isInsecure: access.isInsecure,
    retries,
    timer,
  });
  const { call } = client;
  const json = async <T>(what: HttpCall, signal: AbortSignal): Promise<T> => bodyOf<T>(await call(what, signal));
  const done = async (what: HttpCall, signal: AbortSignal): Promise<void> => void (await call(what, signal));
  const bytes = async (path: string, query: HttpCall['query'], signal: AbortSignal): Promise<Buffer> =>
    (await call({ method: 'GET', path, query }, signal)).body;
  const clusterPath = (clusterId: string): string => `/v2/clusters/${clusterId}`;
  const hostPath = (host: HostRef): string => `/v2/infra-envs/${host.infraEnvId}/hosts/${host.hostId}`;
  const upload = (clusterId: string, query: HttpCall['query'], name: string, archive: Buffer, signal: AbortSignal) =>
    done({ method: 'POST', path: `${clusterPath(clusterId)}/logs`, query, ...multipartFile(name, archive) }, signal);

  return {
    cluster: (clusterId, withHosts, signal) =>
      json({ method: 'GET', path: clusterPath(clusterId), query: { 'exclude-hosts': String(!withHosts) } }, signal),
    hostsOfRole: (clusterId, role, signal) =>
      json({ method: 'GET', path: `${clusterPath(clusterId)}/hosts`, query: { role } }, signal),
    clusterFile: (clusterId, file_name, signal) =>
      bytes(`${clusterPath(clusterId)}/downloads/files`, { file_name }, signal),
    credentials: (clusterId, file_name, signal) =>
      bytes(`${clusterPath(clusterId)}/downloads/credentials`, { file_name }, signal),
    // The contract writes infra-env without its s here, and only here.
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
      json({ method: 'GET', path: `${clusterPath(clusterId)}/monitored-operators` }, signal),
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
    completeInstallation: (clusterId, signal) =>
      done(
        { method: 'POST', path: `${clusterPath(clusterId)}/actions/complete-installation`, json: { is_success: true } },
        signal,
      ),
    close: () => client.close(),
  };
}

const bodyOf = <T>(answer: HttpAnswer): T => JSON.parse(answer.body.toString('utf8')) as T;
