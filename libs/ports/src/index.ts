export {
  type AppendResult,
  AppendTooLarge,
  COMPACTED_EVENT,
  createGrowthSignal,
  type EventMetadata,
  type EventPlace,
  type EventShape,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  followEvents,
  type GrowthSignal,
  type JsonObject,
  type JsonValue,
  NO_STREAM,
  parseStreamId,
  type RecordedEvent,
  START_OF_STORE,
  type StoredEvent,
  type StreamId,
  type Subscription,
  TextTooLong,
} from './event-store';
export {
  forgetJsonText,
  JSON_MAX_DEPTH,
  JSON_MAX_MEMBERS,
  jsonExtentFault,
  jsonLengthOf,
  jsonTextOf,
  keepJsonLength,
  keepJsonText,
} from './json-text';
export { abortAfter, settleWithin, throwOutside, Unavailable, unavailableIn } from './unavailable';
export { KeyedQueue } from './keyed-queue';
export { type TurnLimits, TurnQueue, TurnShare } from './turn-share';
export { type Clock, type Ids, isoTime, steadyClock } from './clock-and-ids';
export {
  type ObjectAreas,
  type ObjectStore,
  ObjectTooLarge,
  type SealedStorage,
  type SealOptions,
  type Secrets,
  type StoredObject,
} from './object-store';
export {
  byText,
  type Collection,
  type CollectionName,
  collectionOf,
  compareFields,
  MAX_QUERY_DOCUMENTS,
  putOrRemove,
  type ReadModelChange,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
} from './read-models';
export {
  type IncomingMessage,
  type MessageHeaders,
  MessageTooLarge,
  NoResponder,
  RequestFailed,
  type Requests,
  RequestTimedOut,
} from './requests';
export {
  type FieldValue,
  type FoundRow,
  type SavedFold,
  type SavedState,
  type StateChange,
  type StateConditions,
  type StateConsumer,
  StateDamaged,
  type StateQuery,
  type StateRow,
  type StateStore,
  type StateTable,
} from './state-store';
export { type ClusterApi, ClusterApiError, type KubeObject, type KubeRef, type KubeResource } from './cluster-api';
export {
  type ByteStream,
  type DownloadProgress,
  type ExtractedFile,
  type HttpRequest,
  type HttpResponse,
  type ImageManifest,
  type ImageRegistry,
  ImageRegistryError,
  type RegistryFault,
  type SendHttp,
} from './image-registry';
