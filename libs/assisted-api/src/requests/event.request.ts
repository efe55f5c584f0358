import { Choice, documented, Field, Text, Uuid } from './field.decorators';
import { EVENT_CATEGORIES, EVENT_SEVERITIES } from '../responses/v2-event';
import { DOCUMENT_MAX_CHARACTERS, EVENT_MESSAGE_MAX_CHARACTERS } from './wire-values';

export class TriggerEventBody {
  @Text() readonly name?: string;
  @Uuid() readonly cluster_id?: string;
  @Uuid() readonly host_id?: string;
  @Uuid() readonly infra_env_id?: string;
  @Choice(EVENT_SEVERITIES, { required: true }) readonly severity!: string;
  @Choice(EVENT_CATEGORIES) readonly category?: string;
  @Text({ required: true, maxLength: EVENT_MESSAGE_MAX_CHARACTERS }) readonly message!: string;
  /** RFC 3339; the log keeps the time at which the event was stored. */
  @Field(
    'time',
    documented(
      (value) =>
        typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? undefined : 'must be an RFC 3339 time',
      () => ({ type: 'string', format: 'date-time' }),
    ),
    { required: true },
  )
  readonly event_time!: string;
  @Uuid() readonly request_id?: string;
  /** JSON text. */
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly props?: string;
}
