import type {
  ClusterDocument,
  EventCategory,
  EventSeverity,
  HostDocument,
  InfraEnvDocument,
} from '@muster/assisted-api';
import type { JsonObject } from '@muster/ports';
import type { MachineLimits } from '../views/machine-limits';

/** One entry of the event log. Ids of its subject are added to `props`. */
export interface LogEntry {
  /** From `event-names.table.ts`, snake_case. */
  readonly name: string;
  readonly severity: EventSeverity;
  /** One or more sentences. */
  readonly message: string;
  readonly props?: JsonObject;
  /** @default 'user' */
  readonly category?: EventCategory;
  /** Position of the event whose first entry this one replaces. */
  readonly replaces?: number;
}

export interface HostSubject {
  /** After the event; before it when the event removed the host. */
  readonly host: HostDocument;
  readonly before: HostDocument | undefined;
  /** The requested or reported hostname, else the id. */
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

/** One pure row per event type with entries in the event log. */
export type LogRows<Event extends { readonly type: string; readonly data: unknown }, Subject> = {
  readonly [Type in Event['type']]?: (
    data: Extract<Event, { readonly type: Type }>['data'],
    subject: Subject,
  ) => readonly LogEntry[];
};

/** The text of a status change; `from` is empty for the first status. */
export function describeStatus(from: string, to: string, statusInfo: string): string {
  const change = from ? `updated status from "${from}" to "${to}"` : `status is "${to}"`;
  return statusInfo ? `${change} (${statusInfo})` : change;
}

export const hostNameOf = (host: HostDocument): string => host.requested_hostname ?? host._reported_hostname ?? host.id;
