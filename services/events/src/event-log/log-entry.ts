import type {
  ClusterDocument,
  EventCategory,
  EventSeverity,
  HostDocument,
  InfraEnvDocument,
} from '@muster/assisted-api';
import type { JsonObject } from '@muster/ports';
import type { MachineLimits } from '../views/machine-limits';

/** One line that people read. Ids of its subject are added to `props`. */
export interface LogEntry {
  /** As in the contract's list of events, snake_case. */
  readonly name: string;
  readonly severity: EventSeverity;
  /** One sentence for a person. */
  readonly message: string;
  readonly props?: JsonObject;
  /** Default: user. */
  readonly category?: EventCategory;
}

export interface HostSubject {
  /** As it is after the fact; as it was, when the fact ended it. */
  readonly host: HostDocument;
  readonly before: HostDocument | undefined;
  /** What people call it. */
  readonly name: string;
  readonly limits: MachineLimits;
}

export interface ClusterSubject {
  readonly cluster: ClusterDocument;
  readonly before: ClusterDocument | undefined;
}

export interface InfraEnvSubject {
  readonly infraEnv: InfraEnvDocument;
  readonly before: InfraEnvDocument | undefined;
}

/** One pure row per event type that people are told about: the lines it gives, none when there is nothing to tell. */
export type LogRows<Event extends { readonly type: string; readonly data: unknown }, Subject> = {
  readonly [Type in Event['type']]?: (
    data: Extract<Event, { readonly type: Type }>['data'],
    subject: Subject,
  ) => readonly LogEntry[];
};

export const hostNameOf = (host: HostDocument): string => host.requested_hostname ?? host._reported_hostname ?? host.id;
