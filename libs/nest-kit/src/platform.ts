import type { Clock, EventStore, Ids, ObjectStore, ReadModels, Requests, Secrets } from '@muster/ports';

/** What a service stands on. libs/profile makes it from configuration; a service never sees a technology. */
export interface Platform {
  /** The whole store; a service wraps it so that it can append to its own streams only. */
  readonly eventStore: EventStore;
  readonly readModels: ReadModels;
  readonly objectStore: ObjectStore;
  readonly secrets: Secrets;
  readonly requests: Requests;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where configuration comes from; read once at start by each service's config.ts. */
  readonly environment: Environment;
}

export type Environment = { readonly [name: string]: string | undefined };

/** Injection token of the Platform in every service's module. */
export const PLATFORM = Symbol('Platform');
