import { HOST_ROLES } from '@muster/domain';
import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min, MinLength } from 'class-validator';
import { ClusterFields } from './cluster.request';
import {
  Defaults,
  INT32_MAX,
  INT32_MIN,
  IsObjectOrText,
  Nested,
  NestedList,
  TEXT_MAX_CHARACTERS,
} from './field.decorators';
import {
  CLUSTER_CPU_ARCHITECTURES,
  CLUSTER_NAME_MAX_CHARACTERS,
  DOCUMENT_MAX_CHARACTERS,
  HIGH_AVAILABILITY_MODES,
} from './wire-values';

/** The simulated reply of a host to one step. */
export class PreflightReportRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly step_type!: string;
  @IsObjectOrText() readonly output!: object | string;
  @IsOptional() @Max(INT32_MAX) @Min(INT32_MIN) @IsInt() readonly exit_code?: number;
}

@Defaults({ role: 'auto-assign' })
export class PreflightHostRequest {
  /** The id of the host in reports of other hosts. @default generated */
  @IsOptional() @IsUUID('loose') readonly host_id?: string;
  @IsOptional() @IsIn(HOST_ROLES) readonly role?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly requested_hostname?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly installation_disk_id?: string;
  @IsOptional() @IsObjectOrText() readonly inventory?: object | string;
  @IsOptional() @NestedList(() => PreflightReportRequest) readonly reports?: readonly PreflightReportRequest[];
}

/** The settings of a cluster as for a registration. An absent pull secret counts as set. */
@Defaults({ high_availability_mode: 'Full', cpu_architecture: 'x86_64' })
export class PreflightClusterRequest extends ClusterFields {
  @IsOptional() @MaxLength(CLUSTER_NAME_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name?: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version!: string;
  @IsOptional() @IsIn(HIGH_AVAILABILITY_MODES) readonly high_availability_mode?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ocp_release_image?: string;
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly pull_secret?: string;
  @IsOptional() @IsIn(CLUSTER_CPU_ARCHITECTURES) readonly cpu_architecture?: string;
}

/** The response has about 20 KB for each host. */
const PREFLIGHT_HOSTS_MAX = 250;

/** Request of the Muster API: evaluates a cluster and its hosts without storing them. */
export class PreflightBody {
  @Nested(() => PreflightClusterRequest) readonly cluster!: PreflightClusterRequest;
  @IsOptional()
  @NestedList(() => PreflightHostRequest, PREFLIGHT_HOSTS_MAX)
  readonly hosts?: readonly PreflightHostRequest[];
}
