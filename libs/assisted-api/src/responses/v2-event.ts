import { choice, maybe, record, text, time, uuid, type Static } from '../schema/answer-schema';

export const EVENT_SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof EVENT_SEVERITIES)[number];
export const EVENT_CATEGORIES = ['user', 'metrics'] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** `event` of the contract, as far as lists carry it: category and request id are filtered by, never shown. */
export const V2_EVENT = record('event', {
  name: text(),
  cluster_id: maybe(uuid()),
  host_id: maybe(uuid()),
  infra_env_id: maybe(uuid()),
  severity: choice(EVENT_SEVERITIES),
  message: text(),
  event_time: time(),
  props: text(),
});
export type V2Event = Static<typeof V2_EVENT>;
