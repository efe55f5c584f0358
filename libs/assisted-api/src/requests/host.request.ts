import { HOST_STAGES } from '@muster/domain';
import { Choice, Flag, ListOf, Part, Parts, Text, textValidator, Uuid, Whole } from './field.decorators';
import {
  CERTIFICATE_VERIFICATIONS,
  DISK_ROLES,
  DOCUMENT_MAX_CHARACTERS,
  HOST_ROLES,
  MAC_PATTERN,
  PROGRESS_INFO_MAX_CHARACTERS,
  STEP_TYPES,
} from './wire-values';

export class RegisterHostBody {
  @Uuid({ required: true }) readonly host_id!: string;
  @Text() readonly discovery_agent_version?: string;
}

/** The reply of a step is as long as what the step found out: bounded by the body limit alone. */
export class StepReplyBody {
  @Choice(STEP_TYPES) readonly step_type?: string;
  @Text() readonly step_id?: string;
  @Whole() readonly exit_code?: number;
  @Text({ maxLength: Number.MAX_SAFE_INTEGER }) readonly output?: string;
  @Text({ maxLength: Number.MAX_SAFE_INTEGER }) readonly error?: string;
}

export class HostProgressBody {
  @Choice(HOST_STAGES, { required: true }) readonly current_stage!: string;
  @Text({ maxLength: PROGRESS_INFO_MAX_CHARACTERS }) readonly progress_info?: string;
}

export class BindHostBody {
  @Uuid({ required: true }) readonly cluster_id!: string;
}

export class DiskSelectionRequest {
  @Text({ required: true }) readonly id!: string;
  @Choice(DISK_ROLES) readonly role?: string;
}

export class DiskFormattingRequest {
  @Text({ required: true }) readonly disk_id!: string;
  @Flag({ required: true }) readonly skip_formatting!: boolean;
}

export class NodeLabelRequest {
  @Text({ required: true }) readonly key!: string;
  @Text({ required: true }) readonly value!: string;
}

export class HttpHeaderRequest {
  @Text({ required: true }) readonly key!: string;
  @Text({ required: true }) readonly value!: string;
}

export class FencingCredentialsRequest {
  @Text({ required: true, minLength: 1 }) readonly address!: string;
  @Text({ required: true, minLength: 1 }) readonly username!: string;
  @Text({ required: true, minLength: 1 }) readonly password!: string;
  @Choice(CERTIFICATE_VERIFICATIONS, { fallback: 'Enabled' }) readonly certificate_verification?: string;
  @Text({ pattern: MAC_PATTERN }) readonly mac_address?: string;
}

export class ReviseHostBody {
  @Choice(HOST_ROLES) readonly host_role?: string;
  @Text() readonly host_name?: string;
  @Parts(DiskSelectionRequest) readonly disks_selected_config?: readonly DiskSelectionRequest[];
  @Parts(DiskFormattingRequest) readonly disks_skip_formatting?: readonly DiskFormattingRequest[];
  @Text() readonly machine_config_pool_name?: string;
  @Text() readonly ignition_endpoint_token?: string;
  @Parts(HttpHeaderRequest) readonly ignition_endpoint_http_headers?: readonly HttpHeaderRequest[];
  @Parts(NodeLabelRequest) readonly node_labels?: readonly NodeLabelRequest[];
  @Part(FencingCredentialsRequest) readonly fencing_credentials?: FencingCredentialsRequest;
}

export class InstallerArgsBody {
  @ListOf(textValidator({})) readonly args?: readonly string[];
}

export class HostIgnitionBody {
  /** An ignition document as text; empty removes the override. */
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly config?: string;
}
