export { createSendHttp } from './http/send-http';
export { createConnections, type ConnectionOptions, type Connections } from './http/connections';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  type HttpClientOptions,
} from './http/http-client';
export { HttpRefused, ServiceUnreachable } from './http/http-failures';
export { proxyAuthorization, proxyOf, readProxySettings, type ProxySettings } from './http/proxy';
export {
  AGENT_RETRIES,
  CONTROLLER_RETRIES,
  INSTALLER_RETRIES,
  NO_RETRIES,
  retryDelayMs,
  type RetryPolicy,
} from './http/retry-policy';
export { trustedAuthorities } from './http/trust-store';
export {
  ARBITER_LABEL,
  CONTROL_PLANE_LABEL,
  conditionsOf,
  isConditionTrue,
  KUBE_RESOURCES,
  toKubeNode,
  type KubeCondition,
  type KubeNode,
} from './kube-resources';
export { addressesOf, hasFetchedIgnition, nodeNameOf, nodeOf } from './node-matching';
export {
  API_PREFIX,
  createServiceApi,
  type HostRef,
  type InstallationResult,
  type LogsState,
  type ServiceAccess,
  type ServiceApi,
  type ServiceCluster,
  type ServiceEvent,
  type ServiceHost,
  type ServiceOperator,
} from './service-api';
export { createTarGz } from './tar-archive';
export { realTimer, retryUntilDone, untilAborted, type Timer } from './timer';
