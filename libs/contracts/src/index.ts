export {
  createEventCodec,
  eventCategory,
  isEventOf,
  MUSTER_CODEC,
  parseEvent,
  type RecordedMusterEvent,
  toStoredData,
} from './event-codec';
export {
  type ArtifactEvent,
  type ClusterEvent,
  type EventData,
  type EventOf,
  EVENTS_BY_CATEGORY,
  type EventType,
  HOST_EVENTS,
  type HostEvent,
  type ImageEvent,
  type InfraEnvEvent,
  INVENTORY_EVENTS,
  type InventoryEvent,
  type ManifestEvent,
  type MusterEvent,
  type NoteEvent,
  REPORTED_RESULTS_MAX,
  type StreamCategory,
  type ValidationEvent,
} from './event-types';
export { AGENT_TOKEN, documentSecretName, type HostSecret, hostSecretName, PULL_SECRET } from './secret-names';
export {
  AGENT_REQUEST_VERBS,
  agentSubject,
  type AgentVerb,
  anyAgentSubject,
  HEADERS,
  parseAgentSubject,
  subjectOfMethod,
} from './subjects';
export { type Plain, toFinalForm, toJsonValue, toPlainForm } from './plain';
export {
  type HostKey,
  hostKeyOf,
  hostKeyOfStream,
  isHostKey,
  parseHostKey,
  parseStreamId,
  type ServiceName,
  STREAM_OWNERS,
  streamIdOf,
} from './streams';
export type { Owner, SealedDocument, StatusReason, StoredBody } from './gen/muster/v1/common_pb';
export { EventsService, type RecordNoteRequest } from './gen/muster/v1/events_pb';
export type { ClusterNetwork, ClusterSettings, MonitoredOperator } from './gen/muster/v1/cluster_pb';
export type { HostSettings, MachineIdentity } from './gen/muster/v1/host_pb';
export { type Artifact, IgnitionService } from './gen/muster/v1/ignition_pb';
export type { InfraEnvSettings } from './gen/muster/v1/infra_env_pb';
export {
  type DiskFacts,
  type DiskSpeedMeasured,
  type DomainResolution,
  type HardwareFacts,
  type ImageAvailability,
  InventoryService,
  type IpCollision,
  type MtuFailure,
  type NicFacts,
  type NtpSource,
  type PeerReach,
  type RouteFacts,
  type VipVerification,
} from './gen/muster/v1/inventory_pb';
export {
  type DiskFormatting,
  type DiskFormattingList,
  type FirstNetworks,
  NextStepsRequestSchema,
  type NextStepsResponse,
  NextStepsResponseSchema,
  type OperatorBundleList,
  RegisterHostRequestSchema,
  RegisterHostResponseSchema,
  RegistrationService,
  ReplyToStepRequestSchema,
  ReplyToStepResponseSchema,
} from './gen/muster/v1/registration_pb';
export {
  type ClusterConditions,
  type ConnectivityGroupChange,
  type HostConditions,
  type Outcome,
  ValidationService,
} from './gen/muster/v1/validation_pb';
