export {
  type Aggregate,
  type CommandContext,
  type Commands,
  type KnownAggregate,
  NOTHING_STORED,
  type Stored,
  type StoredReply,
} from './aggregate';
export { BoundedMap } from './bounded-map';
export { type CommandHandler, createCommandHandler } from './command-handler';
export { type Deadline, DeadlineScheduler } from './deadlines';
export {
  DocumentChanges,
  parkedStreamsOf,
  parkedTableOf,
  type ProjectEvent,
  type ReadDocument,
  startProjector,
} from './projector';
export { type Feed, startFeed } from './feed';
export { type Concern, type RunAgain, WorkQueue } from './queues';
export { ParkedStreams } from './parked-streams';
export { ownedEventStore, TEXT_CHARACTERS_MAX, typedEventStore, type TypedEventStore } from './typed-event-store';
export { type Reactor, type ReactorOptions, startReactor } from './reactor';
export { type Relay, startRelay } from './relay';
export { ALL_EVENTS, eventSubject, HEAD_BEACON, projectionSubject } from './shared-events';
export { FilteredState } from './saved/filtered-state';
export { keptEntries, viewFold } from './saved/kept-entries';
export { keptReadModels } from './saved/kept-read-models';
export { LOAD_TIME, SavedConsumer, SavedStates, SAVE_LIMITS, type SaveLimits } from './saved/saved-states';
