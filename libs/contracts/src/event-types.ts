import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import {
  ClusterDeadlinePassedSchema,
  ClusterDeregisteredSchema,
  ClusterEnteredStatusSchema,
  ClusterLogsCollectedSchema,
  ClusterLogsReportedSchema,
  ClusterOpenedForHostsSchema,
  ClusterProgressedSchema,
  ClusterRegisteredSchema,
  ClusterResetSchema,
  ClusterSettingsRevisedSchema,
  ClusterStatusExplainedSchema,
  FinalizingStageReachedSchema,
  FinalizingStageTimedOutSchema,
  InstallationCancelledSchema,
  InstallationPreparationFailedSchema,
  InstallationPreparationStartedSchema,
  InstallationPreparationUndoneSchema,
  InstallationPreparedSchema,
  KubeconfigCompletedSchema,
  MachineNetworksDerivedSchema,
  OperatorStatusReportedSchema,
  VipsDerivedSchema,
} from './gen/muster/v1/cluster_pb';
import { NoteRecordedSchema } from './gen/muster/v1/events_pb';
import {
  HostAgentReplacedSchema,
  HostBootstrapChosenSchema,
  HostBoundSchema,
  HostConnectionRecoveredSchema,
  HostConnectionTimedOutSchema,
  HostDeadlinePassedSchema,
  HostDeregisteredSchema,
  HostEnteredStatusSchema,
  HostFellSilentSchema,
  HostIdentityClaimedSchema,
  HostIdentityConflictDetectedSchema,
  HostIdentityConflictResolvedSchema,
  HostImageCheckRenewedSchema,
  HostImageCheckVoidedSchema,
  HostInstallationFailedSchema,
  HostInstallerChosenSchema,
  HostLogsCollectedSchema,
  HostLogsReportedSchema,
  HostMediaDisconnectedSchema,
  HostMediaReconnectedSchema,
  HostProgressedSchema,
  HostRegisteredSchema,
  HostRenamedSchema,
  HostReregisteredSchema,
  HostResetSchema,
  HostReturnedSchema,
  HostRoleAssignedSchema,
  HostRoleSuggestedSchema,
  HostSettingsRevisedSchema,
  HostStageClockPausedSchema,
  HostStageClockResumedSchema,
  HostStageTimedOutSchema,
  HostStatusExplainedSchema,
  HostUnboundSchema,
  InstallationDiskChosenSchema,
} from './gen/muster/v1/host_pb';
import {
  ArtifactsDiscardedSchema,
  ArtifactsFailedSchema,
  ArtifactsPreparedSchema,
  ArtifactsStoredSchema,
  IngressCaAcceptedSchema,
  ManifestRemovedSchema,
  ManifestStoredSchema,
  PreparationQueuedSchema,
  ReleaseDownloadProgressedSchema,
  ReleaseReadSchema,
} from './gen/muster/v1/ignition_pb';
import { ImageDownloadCompletedSchema, ImageFirstDownloadedSchema } from './gen/muster/v1/image_pb';
import {
  ImageSigningKeyRotatedSchema,
  InfraEnvDeregisteredSchema,
  InfraEnvRegisteredSchema,
  InfraEnvSettingsRevisedSchema,
} from './gen/muster/v1/infra_env_pb';
import {
  ApiVipConnectivityReportedSchema,
  ClockOffsetMeasuredSchema,
  ConnectivityReportedSchema,
  DiskSpeedMeasuredSchema,
  DomainsResolvedSchema,
  FreeAddressesReportedSchema,
  ImageAvailabilityReportedSchema,
  InventoryReportedSchema,
  NtpSourcesReportedSchema,
  ReportClearedSchema,
  StepFailedSchema,
  TangConnectivityReportedSchema,
  VipsVerifiedSchema,
} from './gen/muster/v1/inventory_pb';
import { ClusterOutcomesChangedSchema, HostOutcomesChangedSchema } from './gen/muster/v1/validation_pb';
import type { Plain } from './plain';

export const CLUSTER_EVENTS = {
  ClusterRegistered: ClusterRegisteredSchema,
  ClusterSettingsRevised: ClusterSettingsRevisedSchema,
  MachineNetworksDerived: MachineNetworksDerivedSchema,
  VipsDerived: VipsDerivedSchema,
  ClusterEnteredStatus: ClusterEnteredStatusSchema,
  ClusterStatusExplained: ClusterStatusExplainedSchema,
  InstallationPreparationStarted: InstallationPreparationStartedSchema,
  InstallationPrepared: InstallationPreparedSchema,
  InstallationPreparationFailed: InstallationPreparationFailedSchema,
  InstallationPreparationUndone: InstallationPreparationUndoneSchema,
  ClusterProgressed: ClusterProgressedSchema,
  FinalizingStageReached: FinalizingStageReachedSchema,
  FinalizingStageTimedOut: FinalizingStageTimedOutSchema,
  OperatorStatusReported: OperatorStatusReportedSchema,
  ClusterDeadlinePassed: ClusterDeadlinePassedSchema,
  KubeconfigCompleted: KubeconfigCompletedSchema,
  InstallationCancelled: InstallationCancelledSchema,
  ClusterReset: ClusterResetSchema,
  ClusterOpenedForHosts: ClusterOpenedForHostsSchema,
  ClusterLogsReported: ClusterLogsReportedSchema,
  ClusterLogsCollected: ClusterLogsCollectedSchema,
  ClusterDeregistered: ClusterDeregisteredSchema,
} as const;

export const HOST_EVENTS = {
  HostRegistered: HostRegisteredSchema,
  HostReregistered: HostReregisteredSchema,
  HostEnteredStatus: HostEnteredStatusSchema,
  HostStatusExplained: HostStatusExplainedSchema,
  HostFellSilent: HostFellSilentSchema,
  HostReturned: HostReturnedSchema,
  HostAgentReplaced: HostAgentReplacedSchema,
  HostMediaDisconnected: HostMediaDisconnectedSchema,
  HostMediaReconnected: HostMediaReconnectedSchema,
  HostRoleAssigned: HostRoleAssignedSchema,
  HostRoleSuggested: HostRoleSuggestedSchema,
  HostRenamed: HostRenamedSchema,
  InstallationDiskChosen: InstallationDiskChosenSchema,
  HostSettingsRevised: HostSettingsRevisedSchema,
  HostBootstrapChosen: HostBootstrapChosenSchema,
  HostProgressed: HostProgressedSchema,
  HostStageTimedOut: HostStageTimedOutSchema,
  HostStageClockPaused: HostStageClockPausedSchema,
  HostStageClockResumed: HostStageClockResumedSchema,
  HostConnectionTimedOut: HostConnectionTimedOutSchema,
  HostConnectionRecovered: HostConnectionRecoveredSchema,
  HostImageCheckVoided: HostImageCheckVoidedSchema,
  HostImageCheckRenewed: HostImageCheckRenewedSchema,
  HostDeadlinePassed: HostDeadlinePassedSchema,
  HostInstallationFailed: HostInstallationFailedSchema,
  HostInstallerChosen: HostInstallerChosenSchema,
  HostBound: HostBoundSchema,
  HostUnbound: HostUnboundSchema,
  HostReset: HostResetSchema,
  HostIdentityConflictDetected: HostIdentityConflictDetectedSchema,
  HostIdentityConflictResolved: HostIdentityConflictResolvedSchema,
  HostIdentityClaimed: HostIdentityClaimedSchema,
  HostLogsReported: HostLogsReportedSchema,
  HostLogsCollected: HostLogsCollectedSchema,
  HostDeregistered: HostDeregisteredSchema,
} as const;

export const INFRA_ENV_EVENTS = {
  InfraEnvRegistered: InfraEnvRegisteredSchema,
  InfraEnvSettingsRevised: InfraEnvSettingsRevisedSchema,
  ImageSigningKeyRotated: ImageSigningKeyRotatedSchema,
  InfraEnvDeregistered: InfraEnvDeregisteredSchema,
} as const;

/**
 * Maximum number of disks and of images of a host whose last results are kept, because an agent may report any names. The oldest are
 * removed. The rules, the views and the comparison of repeated results keep the same ones.
 */
export const REPORTED_RESULTS_MAX = 256;

export const INVENTORY_EVENTS = {
  InventoryReported: InventoryReportedSchema,
  NtpSourcesReported: NtpSourcesReportedSchema,
  ConnectivityReported: ConnectivityReportedSchema,
  DiskSpeedMeasured: DiskSpeedMeasuredSchema,
  ImageAvailabilityReported: ImageAvailabilityReportedSchema,
  DomainsResolved: DomainsResolvedSchema,
  FreeAddressesReported: FreeAddressesReportedSchema,
  VipsVerified: VipsVerifiedSchema,
  TangConnectivityReported: TangConnectivityReportedSchema,
  ApiVipConnectivityReported: ApiVipConnectivityReportedSchema,
  ClockOffsetMeasured: ClockOffsetMeasuredSchema,
  ReportCleared: ReportClearedSchema,
  StepFailed: StepFailedSchema,
} as const;

export const VALIDATION_EVENTS = {
  HostOutcomesChanged: HostOutcomesChangedSchema,
  ClusterOutcomesChanged: ClusterOutcomesChangedSchema,
} as const;

export const ARTIFACT_EVENTS = {
  ReleaseRead: ReleaseReadSchema,
  ReleaseDownloadProgressed: ReleaseDownloadProgressedSchema,
  PreparationQueued: PreparationQueuedSchema,
  ArtifactsStored: ArtifactsStoredSchema,
  ArtifactsPrepared: ArtifactsPreparedSchema,
  ArtifactsFailed: ArtifactsFailedSchema,
  IngressCaAccepted: IngressCaAcceptedSchema,
  ArtifactsDiscarded: ArtifactsDiscardedSchema,
} as const;

export const MANIFEST_EVENTS = {
  ManifestStored: ManifestStoredSchema,
  ManifestRemoved: ManifestRemovedSchema,
} as const;

export const IMAGE_EVENTS = {
  ImageFirstDownloaded: ImageFirstDownloadedSchema,
  ImageDownloadCompleted: ImageDownloadCompletedSchema,
} as const;

export const NOTE_EVENTS = {
  NoteRecorded: NoteRecordedSchema,
} as const;

/** All events that may be stored, by the category of their stream: the only map from event type to payload. */
export const EVENTS_BY_CATEGORY = {
  cluster: CLUSTER_EVENTS,
  host: HOST_EVENTS,
  infraEnv: INFRA_ENV_EVENTS,
  inventory: INVENTORY_EVENTS,
  validation: VALIDATION_EVENTS,
  artifact: ARTIFACT_EVENTS,
  manifest: MANIFEST_EVENTS,
  image: IMAGE_EVENTS,
  note: NOTE_EVENTS,
} as const satisfies Record<string, Record<string, DescMessage>>;

export type StreamCategory = keyof typeof EVENTS_BY_CATEGORY;

type EventsOf<Schemas extends Record<string, DescMessage>> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: Plain<MessageShape<Schemas[Type]>> };
}[keyof Schemas & string];

export type ClusterEvent = EventsOf<typeof CLUSTER_EVENTS>;
export type HostEvent = EventsOf<typeof HOST_EVENTS>;
export type InfraEnvEvent = EventsOf<typeof INFRA_ENV_EVENTS>;
export type InventoryEvent = EventsOf<typeof INVENTORY_EVENTS>;
export type ValidationEvent = EventsOf<typeof VALIDATION_EVENTS>;
export type ArtifactEvent = EventsOf<typeof ARTIFACT_EVENTS>;
export type ManifestEvent = EventsOf<typeof MANIFEST_EVENTS>;
export type ImageEvent = EventsOf<typeof IMAGE_EVENTS>;
export type NoteEvent = EventsOf<typeof NOTE_EVENTS>;

export type MusterEvent =
  | ClusterEvent
  | HostEvent
  | InfraEnvEvent
  | InventoryEvent
  | ValidationEvent
  | ArtifactEvent
  | ManifestEvent
  | ImageEvent
  | NoteEvent;
export type EventType = MusterEvent['type'];
/** The events of one category of streams. */
export type EventOf<Category extends StreamCategory> = Category extends StreamCategory
  ? EventsOf<(typeof EVENTS_BY_CATEGORY)[Category]>
  : never;
/** Payload of one event type. */
export type EventData<Type extends EventType> = Extract<MusterEvent, { type: Type }>['data'];
