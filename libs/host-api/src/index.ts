export { explainFailure, FAILURE_CAUSES, type FailureCause } from './failure-causes';
export {
  createSendHttp,
  createConnections,
  type ConnectionOptions,
  type Connections,
  trustedAuthorities,
} from './http/connections';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  type HttpClientOptions,
  HttpRefused,
  ServiceUnreachable,
  AGENT_RETRIES,
  CONTROLLER_RETRIES,
  INSTALLER_RETRIES,
  NO_RETRIES,
  retryDelayMs,
  type RetryPolicy,
} from './http/http-client';
export { basicAuthorization, proxyOf, readProxySettings, type ProxySettings, withoutCredentials } from './http/proxy';
export { createTarGz, hostLogArchive, isPartOf, LOG_BUNDLE_BYTES_MAX, tarBlocks } from './host-files';
export {
  ARBITER_LABEL,
  CONTROL_PLANE_LABEL,
  conditionsOf,
  hasVsphereAccess,
  isConditionTrue,
  isSelfInstalled,
  KUBE_RESOURCES,
  removeUninitializedTaints,
  toKubeNode,
  type KubeCondition,
  type KubeNode,
  addressesOf,
  hasFetchedIgnition,
  ignitionClients,
  nodeNameOf,
  nodeOf,
} from './kube-resources';
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
export { realTimer, retryUntilDone, untilAborted, type Timer } from './timer';
