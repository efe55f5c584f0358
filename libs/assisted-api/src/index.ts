export {
  type ClusterDocument,
  COLLECTIONS,
  DROPPED_LOGS,
  DROPPED_LOGS_MAX,
  type DroppedLogsDocument,
  EVENT_COUNTS,
  eventKeyOf,
  type EventCountsDocument,
  type EventDocument,
  type HostDocument,
  type InfraEnvDocument,
  type IpCollisions,
  type MachineSizes,
  type OutcomeMap,
  type OverrideRecord,
  VIEWS_PROJECTION,
} from './responses/documents';
export {
  type ClusterJourney,
  FUNNEL_STEPS,
  FunnelQuery,
  type FunnelStep,
  type HostJourney,
  JOURNEY_COLLECTIONS,
  type JourneyFailure,
  JOURNEYS_PROJECTION,
  type Mark,
  MAX_JOURNEY_FAILURES,
  MAX_JOURNEY_MARKS,
  NOT_YET,
  PastQuery,
} from './journeys';
export {
  V2_HOST,
  V2_INFRA_ENV,
  V2_SIGNED_URL,
  type V2Host,
  type V2HostProgress,
  type V2InfraEnv,
  type V2SignedUrl,
} from './responses/v2-infra-env';
export {
  AUTO_ASSIGNED_ROLES,
  presentFeatureUsage,
  REQUESTED_HOSTNAMES,
  VIRTUAL_HOSTS,
} from './responses/feature-usage';
export {
  clusterOutcomeMessages,
  hostOutcomeMessages,
  presentCluster,
  presentEvent,
  presentHost,
  presentInfraEnv,
  UNSET_TIME,
} from './responses/presenters';
export {
  V2_CLUSTER,
  V2_MONITORED_OPERATOR,
  type V2Cluster,
  type V2ClusterProgress,
  type V2MonitoredOperator,
} from './responses/v2-cluster';
export {
  Dictionary,
  type JsonSchema,
  Nullable,
  PROBLEM,
  type Static,
  StringEnum,
  V2_ERROR,
  V2_INFRA_ERROR,
} from './schema/answer-schema';
export {
  type HistogramFigures,
  METRIC_EVENTS,
  METRIC_PREFIX,
  type MetricDocument,
  type MetricEventName,
  type MetricEventRow,
  type MetricName,
  type MetricRow,
  SERVICE_METRICS,
} from './service-metrics.table';
export {
  EVENT_CATEGORIES,
  EVENT_NAMES,
  EVENT_SEVERITIES,
  type EventCategory,
  type EventNameRow,
  type EventOrigin,
  type EventSeverity,
  OWN_EVENT_NAMES,
  V2_EVENT,
} from './responses/v2-event';
export { DEFAULT_RELEASE_SOURCES, type ReleaseSource, V2_RELEASE_SOURCE } from './catalogue/release-sources';
export { DEFAULT_OS_IMAGES } from './catalogue/default-os-images';
export { DEFAULT_RELEASE_IMAGES } from './catalogue/default-release-images';
export {
  type OsImage,
  type ReleaseImage,
  V2_OPENSHIFT_VERSION,
  type V2OpenshiftVersion,
  VersionCatalogue,
} from './catalogue/version-catalogue';
export {
  CreateManifestBody,
  ListManifestsQuery,
  MANIFEST_FOLDERS,
  ManifestQuery,
  ReviseManifestBody,
} from './requests/manifest.request';
export {
  CompleteInstallationBody,
  FinalizingProgressBody,
  IgnoredValidationsBody,
  ImportClusterBody,
  ListBundlesQuery,
  LogsProgressBody,
  OperatorReportBody,
  OverrideValidationsBody,
  RegisterClusterBody,
  RegisterDisconnectedClusterBody,
  ReviseClusterBody,
  ShowBundleQuery,
} from './requests/cluster.request';
export {
  toApiName,
  toClusterChanges,
  toClusterSettings,
  toFirstNetworks,
  toHostRevision,
  toInfraEnvChanges,
  toInfraEnvDocuments,
  toInfraEnvSettings,
  toOperatorBundles,
} from './requests/settings.mappings';
export { TriggerEventBody } from './requests/event.request';
export {
  isTrueText,
  LIST_MAX_ITEMS,
  mayBeAbsent,
  refusesOtherParameters,
  TEXT_MAX_CHARACTERS,
} from './requests/field.decorators';
export {
  BindHostBody,
  BusCredentialsBody,
  HostIgnitionBody,
  HostProgressBody,
  InstallerArgsBody,
  RegisterHostBody,
  ReviseHostBody,
  StepReplyBody,
} from './requests/host.request';
export { PreviewStaticNetworksBody, RegisterInfraEnvBody, ReviseInfraEnvBody } from './requests/infra-env.request';
export { PreflightBody, PreflightClusterRequest, PreflightHostRequest } from './requests/preflight.request';
export {
  CREDENTIAL_FILES,
  DOCUMENT_MAX_CHARACTERS,
  EVENT_MESSAGE_MAX_CHARACTERS,
  pullSecretError,
  STEP_TYPES,
  UUID_PATTERN,
} from './requests/wire-values';
export {
  ArchitectureLevelsQuery,
  ClusterFileQuery,
  CredentialFileQuery,
  DetailedFeaturesQuery,
  DownloadLogsQuery,
  FeatureLevelsQuery,
  FollowEventsQuery,
  FOLLOWED_EVENTS_DEFAULT,
  InfraEnvFileQuery,
  ListClusterHostsQuery,
  ListClustersQuery,
  ListEventsQuery,
  ListInfraEnvsQuery,
  MonitoredOperatorsQuery,
  NextStepsQuery,
  OpenshiftVersionsQuery,
  PresignedClusterFileQuery,
  PresignedInfraEnvFileQuery,
  ShowClusterQuery,
  UnbindHostQuery,
  UploadLogsQuery,
} from './requests/queries.request';
export { satisfiesRules } from './schema/request-rules';
export { describedField, fieldSchema, requestFields, requestSchema } from './schema/request-schema';
export { describeMember, descriptionOf } from './field-descriptions/descriptions.table';
