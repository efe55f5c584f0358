import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { EVENT_SEVERITIES } from '../responses/v2-event';
import {
  Defaults,
  IsMac,
  LastMac,
  LastValue,
  LIST_MAX_ITEMS,
  RefusesOtherParameters,
  TEXT_MAX_CHARACTERS,
  ToBoolean,
  ToInteger,
  ToList,
} from './field.decorators';
import {
  CLUSTER_CPU_ARCHITECTURES,
  CLUSTER_FILES,
  CREDENTIAL_FILES,
  DISCOVERY_IMAGE_TYPES,
  DOWNLOADED_LOGS_TYPES,
  HOST_ROLES,
  INFRA_ENV_FILES,
  IPXE_SCRIPT_TYPES,
  PLATFORM_TYPES,
  PRESIGNED_CLUSTER_FILES,
  PRESIGNED_INFRA_ENV_FILES,
  SORT_ORDERS,
  UPLOADED_LOGS_TYPES,
} from './wire-values';

@Defaults({ with_hosts: false })
export class ListClustersQuery {
  @IsOptional() @IsUUID('loose') @LastValue() readonly openshift_cluster_id?: string;
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  @ToList()
  readonly ams_subscription_ids?: readonly string[];
  @IsOptional() @IsBoolean() @ToBoolean() readonly with_hosts?: boolean;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly owner?: string;
}

export class ShowClusterQuery {
  @IsOptional() @IsBoolean() @ToBoolean() readonly 'exclude-hosts'?: boolean;
}

export class ListClusterHostsQuery {
  @IsOptional() @IsIn(HOST_ROLES) @LastValue() readonly role?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly status?: string;
  @IsOptional() @IsBoolean() @ToBoolean() readonly 'with-inventory'?: boolean;
  @IsOptional() @IsBoolean() @ToBoolean() readonly 'with-connectivity'?: boolean;
}

export class ListInfraEnvsQuery {
  @IsOptional() @IsUUID('loose') @LastValue() readonly cluster_id?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly owner?: string;
}

export class ClusterFileQuery {
  @IsIn(CLUSTER_FILES) @LastValue() readonly file_name!: string;
}

export class PresignedClusterFileQuery {
  @IsIn(PRESIGNED_CLUSTER_FILES) @LastValue() readonly file_name!: string;
  @IsOptional() @IsIn(DOWNLOADED_LOGS_TYPES) @LastValue() readonly logs_type?: string;
  @IsOptional() @IsUUID('loose') @LastValue() readonly host_id?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly additional_name?: string;
}

export class CredentialFileQuery {
  @IsIn(CREDENTIAL_FILES) @LastValue() readonly file_name!: string;
}

export class InfraEnvFileQuery {
  @IsIn(INFRA_ENV_FILES) @LastValue() readonly file_name!: string;
  @IsOptional() @IsMac() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastMac() readonly mac?: string;
  @IsOptional() @IsIn(IPXE_SCRIPT_TYPES) @LastValue() readonly ipxe_script_type?: string;
  @IsOptional() @IsIn(DISCOVERY_IMAGE_TYPES) @LastValue() readonly discovery_iso_type?: string;
}

export class PresignedInfraEnvFileQuery {
  @IsIn(PRESIGNED_INFRA_ENV_FILES) @LastValue() readonly file_name!: string;
  @IsOptional() @IsIn(IPXE_SCRIPT_TYPES) @LastValue() readonly ipxe_script_type?: string;
}

export class UploadLogsQuery {
  @IsIn(UPLOADED_LOGS_TYPES) @LastValue() readonly logs_type!: 'host' | 'controller';
  @IsOptional() @IsUUID('loose') @LastValue() readonly infra_env_id?: string;
  @IsOptional() @IsUUID('loose') @LastValue() readonly host_id?: string;
}

export class DownloadLogsQuery {
  @IsOptional() @IsIn(DOWNLOADED_LOGS_TYPES) @LastValue() readonly logs_type?: string;
  @IsOptional() @IsUUID('loose') @LastValue() readonly host_id?: string;
}

export class MonitoredOperatorsQuery {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly operator_name?: string;
}

export class UnbindHostQuery {
  /** An installed host boots the discovery image again when an agent runs on its node. Only Muster has this parameter. */
  @IsOptional() @IsBoolean() @ToBoolean() readonly reclaim?: boolean;
}

export class NextStepsQuery {
  @IsOptional() @IsInt() @ToInteger() readonly timestamp?: number;
}

@Defaults({ order: 'ascending' })
export class ListEventsQuery {
  @IsOptional() @IsUUID('loose') @LastValue() readonly cluster_id?: string;
  /** Deprecated: one additional value for host_ids. */
  @IsOptional() @IsUUID('loose') @LastValue() readonly host_id?: string;
  @IsOptional()
  @IsUUID('loose', { each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  @ToList()
  readonly host_ids?: readonly string[];
  @IsOptional() @IsUUID('loose') @LastValue() readonly infra_env_id?: string;
  @IsOptional() @IsInt() @ToInteger() readonly limit?: number;
  @IsOptional() @IsInt() @ToInteger() readonly offset?: number;
  @IsOptional() @IsIn(SORT_ORDERS) @LastValue() readonly order?: 'ascending' | 'descending';
  @IsOptional()
  @IsIn(EVENT_SEVERITIES, { each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  @ToList()
  readonly severities?: readonly string[];
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly message?: string;
  @IsOptional() @IsBoolean() @ToBoolean() readonly deleted_hosts?: boolean;
  @IsOptional() @IsBoolean() @ToBoolean() readonly cluster_level?: boolean;
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  @ToList()
  readonly categories?: readonly string[];
}

/** Maximum number of events of one answer to a program that follows them. */
export const FOLLOWED_EVENTS_MAX = 1_000;
export const FOLLOWED_EVENTS_DEFAULT = 500;
/** Maximum time that such an answer waits for an event, in seconds. Proxies close connections without data after a minute. */
export const FOLLOW_WAIT_SECONDS_MAX = 30;

@Defaults({ after: '', limit: FOLLOWED_EVENTS_DEFAULT, wait: 0 })
@RefusesOtherParameters()
export class FollowEventsQuery {
  @IsOptional() @IsUUID('loose') @LastValue() readonly cluster_id?: string;
  @IsOptional() @IsUUID('loose') @LastValue() readonly infra_env_id?: string;
  @IsOptional()
  @Matches(/^(?:\d{1,16}(?:\.\d{1,6})?)?$/, { message: 'must be a position such as 4711 or 4711.0, or empty' })
  @IsString()
  @LastValue()
  readonly after?: string;
  @IsOptional() @Max(FOLLOWED_EVENTS_MAX) @Min(1) @IsInt() @ToInteger() readonly limit?: number;
  @IsOptional() @Max(FOLLOW_WAIT_SECONDS_MAX) @Min(0) @IsInt() @ToInteger() readonly wait?: number;
}

export class OpenshiftVersionsQuery {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly version?: string;
  @IsOptional() @IsBoolean() @ToBoolean() readonly only_latest?: boolean;
}

/** The older operation accepts one additional name for the same architecture. */
const DETAILED_CPU_ARCHITECTURES = CLUSTER_CPU_ARCHITECTURES.filter((name) => name !== 'aarch64');

export class ArchitectureLevelsQuery {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version!: string;
}

@Defaults({ cpu_architecture: 'x86_64' })
export class FeatureLevelsQuery {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version!: string;
  @IsOptional() @IsIn(CLUSTER_CPU_ARCHITECTURES) @LastValue() readonly cpu_architecture?: string;
  @IsOptional() @IsIn(PLATFORM_TYPES) @LastValue() readonly platform_type?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly external_platform_name?: string;
}

@Defaults({ cpu_architecture: 'x86_64' })
export class DetailedFeaturesQuery {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version!: string;
  @IsOptional() @IsIn(DETAILED_CPU_ARCHITECTURES) @LastValue() readonly cpu_architecture?: string;
  @IsOptional() @IsIn(PLATFORM_TYPES) @LastValue() readonly platform_type?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly external_platform_name?: string;
}
