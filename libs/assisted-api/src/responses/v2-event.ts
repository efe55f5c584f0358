import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

export const EVENT_SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof EVENT_SEVERITIES)[number];
export const EVENT_CATEGORIES = ['user', 'metrics'] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** `event` of the contract, as far as lists carry it: category and request id are filtered by, never shown. */
export const V2_EVENT = Type.Object(
  {
    name: Type.String(),
    cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    host_id: Type.Optional(Type.String({ format: 'uuid' })),
    infra_env_id: Type.Optional(Type.String({ format: 'uuid' })),
    severity: StringEnum(EVENT_SEVERITIES),
    message: Type.String(),
    event_time: Type.String({ format: 'date-time' }),
    props: Type.String(),
  },
  { title: 'event' },
);
export type V2Event = Static<typeof V2_EVENT>;
