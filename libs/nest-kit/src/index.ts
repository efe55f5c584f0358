export {
  CLOSE_MAX_WAIT_MS,
  closePromptly,
  DISK_PROBE,
  isAllowedOrigin,
  isFullDisk,
  isLockedFile,
  logUnlessUnavailable,
  portOf,
  type Probe,
  PROBES,
  Readiness,
  requireDiskReserve,
  SECURITY_HEADERS,
  unavailableRefusal,
} from './http-endpoint';
export {
  callService,
  fromHeaders,
  type InputOf,
  keepJson,
  keptJson,
  type Method,
  type OutputOf,
  parseMessage,
} from './call-service';
export { HOST_BINARY_INDEX, type HostBinary, readComponentImages, readHostBinaries } from './component-images';
export {
  type DocumentReference,
  NO_DOCUMENT,
  openDocument,
  openNetworks,
  openTrustBundle,
  readHttpHeaders,
  referenceOf,
  sealDocument,
} from './documents/sealed-documents';
export { DOCUMENT_TASKS, type DocumentTask, documentTask, DocumentWorkers } from './documents/document-workers';
export { sha256Digest } from './documents/read-step-report';
export { createReportReader, READ_REPORT, type ReadReport } from './documents/report-reader';
export { Handles, OpenAnswers } from './requests-server';
export {
  type EndpointAddress,
  imageEndpoint,
  readImageServiceBaseUrl,
  readServiceBaseUrl,
  restEndpoint,
} from './settings/addresses';
export {
  type AuthType,
  type DerivedSetting,
  inexactNetworkLimits,
  maskedProxy,
  openProxy,
  openSealedProxy,
  operatorSettings,
  type ProxyUrls,
  readAuthType,
  readCertificates,
  readEcKey,
  readFileSetting,
  readHardwareRequirements,
  readOperatorSettings,
  readTimeouts,
  readTlsFiles,
  type SealedProxy,
  timeoutSettings,
  type TlsFiles,
} from './settings/derived-settings';
export { createStoredMetric, RequestMetrics } from './metrics';
export {
  CLOCK,
  type Environment,
  EVENT_STORE,
  IDS,
  LOGS,
  musterEventStore,
  type MusterEventStore,
  OBJECT_STORE,
  type Platform,
  platformProviders,
  REACHABLE_SINCE,
  READ_MODELS,
  REQUESTS,
  SAVED,
  savedViews,
  SECRETS,
} from './platform';
export { ReactorHost } from './reactor-host';
export { readReleaseToolchains, type ReleaseToolchains } from './release-toolchains';
export { RequestLogEntry } from './request-log-entry';
export { type RunningService, startMicroservice, type StartService } from './service';
export { formatDuration, parseDurationMs, type Setting } from './settings/setting';
export {
  attempt,
  readSettings,
  SettingError,
  SettingsError,
  SettingsReader,
  unknownSettings,
} from './settings/settings-reader';
export { type SettingName, SETTINGS, type SettingValue } from './settings/settings.table';
export {
  agentTokenGeneration,
  agentTokenKey,
  downloadTokenKey,
  isCurrentGeneration,
  revokeInfraEnvTokens,
  signImageToken,
  verifyImageToken,
} from './infra-env-tokens';
