import { MUSTER_CODEC, type MusterEvent } from '@muster/contracts';
import type { EntryShape } from '@muster/decision';
import { type SavedStates, type TypedEventStore, typedEventStore, viewFold } from '@muster/event-sourcing';
import type {
  Clock,
  EventStore,
  Ids,
  ObjectAreas,
  ObjectStore,
  ReadModels,
  Requests,
  Secrets,
  Unavailable,
} from '@muster/ports';
import type { Provider } from '@nestjs/common';
import { type Probe, PROBES } from './http-endpoint';

/** The ports that a service runs on. services/muster opens them according to the settings (`profile.ts`). */
export interface Platform {
  /** The whole store with events in their stored form. Services receive it as a MusterEventStore. */
  readonly eventStore: EventStore;
  readonly readModels: ReadModels;
  /** State of the views, so that a start does not fold all events. */
  readonly states: SavedStates;
  readonly objectStore: ObjectStore;
  /** Uploaded logs, in one area per cluster. */
  readonly logs: ObjectAreas;
  readonly secrets: Secrets;
  readonly requests: Requests;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Environment variables. The config.ts of each service reads them once at start. */
  readonly environment: Environment;
  /** Checks of the resources behind the ports, for `/ready`. */
  readonly probes?: readonly Probe[];
  /**
   * Returns the time of `clock` since which hosts can poll and report without an interruption, in milliseconds; the present time while
   * they cannot.
   * @default -Infinity
   */
  readonly reachableSinceMs?: () => number;
  /** Called when a command fails because a server is not available. */
  readonly onCommandFailed?: (error: Unavailable) => void;
}

export type Environment = { readonly [name: string]: string | undefined };

/** The event store with the event types of Muster, provided as EVENT_STORE. */
export type MusterEventStore = TypedEventStore<MusterEvent>;

const TYPED = new WeakMap<EventStore, MusterEventStore>();

/** Returns the typed store. The services of one process share it and its readers. */
export function musterEventStore(store: EventStore): MusterEventStore {
  const typed = TYPED.get(store) ?? typedEventStore(store, MUSTER_CODEC);
  TYPED.set(store, typed);
  return typed;
}

/** Injection tokens of the ports. A class injects only the ports that it uses. */
export const EVENT_STORE = Symbol('EventStore');
export const READ_MODELS = Symbol('ReadModels');
export const STATES = Symbol('SavedStates');
/** The saved state of the views of a service (`savedViews`). */
export const SAVED = Symbol('SavedConsumer');
export const OBJECT_STORE = Symbol('ObjectStore');
export const LOGS = Symbol('Logs');
export const SECRETS = Symbol('Secrets');
export const REQUESTS = Symbol('Requests');
export const CLOCK = Symbol('Clock');
export const IDS = Symbol('Ids');
/** `Platform.reachableSinceMs`. */
export const REACHABLE_SINCE = Symbol('ReachableSince');

/** One provider per port, for the module of a service. */
export const platformProviders = (platform: Platform): Provider[] => [
  { provide: EVENT_STORE, useValue: musterEventStore(platform.eventStore) },
  { provide: READ_MODELS, useValue: platform.readModels },
  { provide: STATES, useValue: platform.states },
  { provide: OBJECT_STORE, useValue: platform.objectStore },
  { provide: LOGS, useValue: platform.logs },
  { provide: SECRETS, useValue: platform.secrets },
  { provide: REQUESTS, useValue: platform.requests },
  { provide: CLOCK, useValue: platform.clock },
  { provide: IDS, useValue: platform.ids },
  { provide: PROBES, useValue: platform.probes ?? [] },
  { provide: REACHABLE_SINCE, useValue: platform.reachableSinceMs ?? (() => -Infinity) },
];

/**
 * Provides SAVED for a service that keeps views. `version` is raised when the saved entries or their fold change: they are then
 * rebuilt from the events.
 */
export const savedViews = (service: string, version: number, shapes: readonly EntryShape[]): Provider => ({
  provide: SAVED,
  inject: [STATES],
  useFactory: (states: SavedStates) => states.open(service, [viewFold(service, version, shapes)]),
});
