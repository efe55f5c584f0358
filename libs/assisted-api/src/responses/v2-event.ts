export const EVENT_SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof EVENT_SEVERITIES)[number];
export const EVENT_CATEGORIES = ['user', 'metrics'] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** `event` of the contract, as far as lists carry it: category and request id are filtered by, never shown. */
export type V2Event = {
  readonly name: string;
  readonly cluster_id?: string;
  readonly host_id?: string;
  readonly infra_env_id?: string;
  readonly severity: EventSeverity;
  readonly message: string;
  readonly event_time: string;
  /** JSON object. */
  readonly props: string;
};
