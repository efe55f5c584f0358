import { IsIn, IsOptional, IsRFC3339, IsString, IsUUID, MaxLength } from 'class-validator';
import { EVENT_CATEGORIES, EVENT_SEVERITIES } from '../responses/v2-event';
import { TEXT_MAX_CHARACTERS } from './field.decorators';
import { DOCUMENT_MAX_CHARACTERS, EVENT_MESSAGE_MAX_CHARACTERS } from './wire-values';

export class TriggerEventBody {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly name?: string;
  @IsOptional() @IsUUID('loose') readonly cluster_id?: string;
  @IsOptional() @IsUUID('loose') readonly host_id?: string;
  @IsOptional() @IsUUID('loose') readonly infra_env_id?: string;
  @IsIn(EVENT_SEVERITIES) readonly severity!: string;
  @IsOptional() @IsIn(EVENT_CATEGORIES) readonly category?: string;
  @MaxLength(EVENT_MESSAGE_MAX_CHARACTERS) @IsString() readonly message!: string;
  /** RFC 3339. The log contains the time at which the event was stored instead. */
  @IsRFC3339()
  readonly event_time!: string;
  @IsOptional() @IsUUID('loose') readonly request_id?: string;
  /** JSON text. */
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly props?: string;
}
