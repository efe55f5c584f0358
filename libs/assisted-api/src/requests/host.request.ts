import { HOST_STAGES } from '@muster/domain';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import {
  Defaults,
  INT32_MAX,
  INT32_MIN,
  IsMac,
  LIST_MAX_ITEMS,
  MayBeAbsent,
  Nested,
  NestedList,
  TEXT_MAX_CHARACTERS,
} from './field.decorators';
import { CERTIFICATE_VERIFICATIONS, DISK_ROLES, DOCUMENT_MAX_CHARACTERS, HOST_ROLES, STEP_TYPES } from './wire-values';

export class RegisterHostBody {
  @IsUUID('loose') readonly host_id!: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly discovery_agent_version?: string;
}

/** The reply of a step has no limit except the limit of the body. */
@MayBeAbsent()
export class StepReplyBody {
  @IsOptional() @IsIn(STEP_TYPES) readonly step_type?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly step_id?: string;
  @IsOptional() @Max(INT32_MAX) @Min(INT32_MIN) @IsInt() readonly exit_code?: number;
  @IsOptional() @IsString() readonly output?: string;
  @IsOptional() @IsString() readonly error?: string;
}

export class HostProgressBody {
  @IsIn(HOST_STAGES) readonly current_stage!: string;
  /** The service stores 2,000 characters of it. */
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly progress_info?: string;
}

/** The public NATS user key of an agent. */
export class BusCredentialsBody {
  @MaxLength(64) @IsString() readonly public_key!: string;
}

export class BindHostBody {
  @IsUUID('loose') readonly cluster_id!: string;
}

export class DiskSelectionRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly id!: string;
  @IsOptional() @IsIn(DISK_ROLES) readonly role?: string;
}

export class DiskFormattingRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly disk_id!: string;
  @IsBoolean() readonly skip_formatting!: boolean;
}

export class NodeLabelRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly key!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly value!: string;
}

export class HttpHeaderRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly key!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly value!: string;
}

@Defaults({ certificate_verification: 'Enabled' })
export class FencingCredentialsRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly address!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly username!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly password!: string;
  @IsOptional() @IsIn(CERTIFICATE_VERIFICATIONS) readonly certificate_verification?: string;
  @IsOptional() @IsMac() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly mac_address?: string;
}

export class ReviseHostBody {
  @IsOptional() @IsIn(HOST_ROLES) readonly host_role?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly host_name?: string;
  @IsOptional()
  @NestedList(() => DiskSelectionRequest)
  readonly disks_selected_config?: readonly DiskSelectionRequest[];
  @IsOptional()
  @NestedList(() => DiskFormattingRequest)
  readonly disks_skip_formatting?: readonly DiskFormattingRequest[];
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly machine_config_pool_name?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ignition_endpoint_token?: string;
  @IsOptional()
  @NestedList(() => HttpHeaderRequest)
  readonly ignition_endpoint_http_headers?: readonly HttpHeaderRequest[];
  @IsOptional() @NestedList(() => NodeLabelRequest) readonly node_labels?: readonly NodeLabelRequest[];
  @IsOptional() @Nested(() => FencingCredentialsRequest) readonly fencing_credentials?: FencingCredentialsRequest;
}

export class InstallerArgsBody {
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  readonly args?: readonly string[];
}

export class HostIgnitionBody {
  /** An Ignition config as text. Empty removes the override. */
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly config?: string;
}
