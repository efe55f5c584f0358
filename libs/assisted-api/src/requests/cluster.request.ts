import { FINALIZING_STAGES } from '@muster/domain';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import {
  Defaults,
  INT32_MAX,
  INT32_MIN,
  IsAddressOrEmpty,
  IsNetwork,
  LastValue,
  LIST_MAX_ITEMS,
  Nested,
  NestedList,
  TEXT_MAX_CHARACTERS,
  ToList,
} from './field.decorators';
import {
  CLOUD_CONTROLLER_MANAGERS,
  CLUSTER_CPU_ARCHITECTURES,
  CLUSTER_NAME_MAX_CHARACTERS,
  DEFAULT_CLUSTER_NETWORK_CIDR,
  DEFAULT_HOST_PREFIX_IPV4,
  DEFAULT_SERVICE_NETWORK_CIDR,
  DOCUMENT_MAX_CHARACTERS,
  ENCRYPTION_MODES,
  HIGH_AVAILABILITY_MODES,
  LOAD_BALANCER_TYPES,
  LOGS_STATES,
  NETWORK_TYPES,
  OPERATOR_STATUSES,
  PLATFORM_TYPES,
  REASON_MAX_CHARACTERS,
  ROLE_SELECTIONS,
  VIP_VERIFICATIONS,
} from './wire-values';

/** A client may send back what it read from a cluster. The cluster id in each member is accepted and ignored. */
class OwnedByCluster {
  @IsOptional() @IsUUID('loose') readonly cluster_id?: string;
}

export class ClusterNetworkRequest extends OwnedByCluster {
  @IsNetwork() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly cidr!: string;
  @IsOptional() @Max(128) @Min(1) @IsInt() readonly host_prefix?: number;
}

export class NetworkRequest extends OwnedByCluster {
  @IsNetwork() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly cidr!: string;
}

@Defaults({ verification: 'unverified' })
export class VipRequest extends OwnedByCluster {
  @IsOptional() @IsAddressOrEmpty() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ip?: string;
  @IsOptional() @IsIn(VIP_VERIFICATIONS) readonly verification?: string;
}

export class ProxyRequest {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly http_proxy?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly https_proxy?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly no_proxy?: string;
}

export class ExternalPlatformRequest {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly platform_name?: string;
  @IsOptional() @IsIn(CLOUD_CONTROLLER_MANAGERS) readonly cloud_controller_manager?: string;
}

export class PlatformRequest {
  @IsIn(PLATFORM_TYPES) readonly type!: string;
  @IsOptional() @Nested(() => ExternalPlatformRequest) readonly external?: ExternalPlatformRequest;
}

@Defaults({ enable_on: 'none', mode: 'tpmv2' })
export class DiskEncryptionRequest {
  @IsOptional() @IsIn(ROLE_SELECTIONS) readonly enable_on?: string;
  @IsOptional() @IsIn(ENCRYPTION_MODES) readonly mode?: string;
  /** JSON text: `[{"url": …, "thumbprint": …}]`. */
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly tang_servers?: string;
}

export class IgnitionEndpointRequest {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly url?: string;
  /** Base64. */
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ca_certificate?: string;
}

export class LoadBalancerRequest {
  @IsOptional() @IsIn(LOAD_BALANCER_TYPES) readonly type?: string;
}

/** A bundle of operators with the selected optional operators. Absent: all optional operators. */
export class BundleRequest {
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly id!: string;
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  readonly optional_operators?: readonly string[];
}

export class OperatorRequest {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly name?: string;
  /** JSON text. */
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly properties?: string;
}

/** Settings of a cluster that may be set at its registration and later. */
@Defaults({ schedulable_masters: false })
export class ClusterFields {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly base_dns_domain?: string;
  @IsOptional() @IsNetwork() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly cluster_network_cidr?: string;
  @IsOptional() @Max(128) @Min(1) @IsInt() readonly cluster_network_host_prefix?: number;
  @IsOptional() @IsNetwork() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly service_network_cidr?: string;
  @IsOptional() @NestedList(() => VipRequest) readonly api_vips?: readonly VipRequest[];
  @IsOptional() @NestedList(() => VipRequest) readonly ingress_vips?: readonly VipRequest[];
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ssh_public_key?: string;
  @IsOptional() @IsBoolean() readonly vip_dhcp_allocation?: boolean;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly http_proxy?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly https_proxy?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly no_proxy?: string;
  @IsOptional() @IsBoolean() readonly user_managed_networking?: boolean;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly additional_ntp_source?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ntp_sources?: string;
  @IsOptional() @NestedList(() => OperatorRequest) readonly olm_operators?: readonly OperatorRequest[];
  @IsOptional() @NestedList(() => BundleRequest) readonly operator_bundles?: readonly BundleRequest[];
  @IsOptional() @IsIn(ROLE_SELECTIONS) readonly hyperthreading?: string;
  @IsOptional() @IsIn(NETWORK_TYPES) readonly network_type?: string;
  @IsOptional() @IsBoolean() readonly schedulable_masters?: boolean;
  @IsOptional() @NestedList(() => ClusterNetworkRequest) readonly cluster_networks?: readonly ClusterNetworkRequest[];
  @IsOptional() @NestedList(() => NetworkRequest) readonly service_networks?: readonly NetworkRequest[];
  @IsOptional() @NestedList(() => NetworkRequest) readonly machine_networks?: readonly NetworkRequest[];
  @IsOptional() @Nested(() => PlatformRequest) readonly platform?: PlatformRequest;
  @IsOptional() @Nested(() => DiskEncryptionRequest) readonly disk_encryption?: DiskEncryptionRequest;
  @IsOptional() @Nested(() => IgnitionEndpointRequest) readonly ignition_endpoint?: IgnitionEndpointRequest;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly tags?: string;
  @IsOptional() @Max(INT32_MAX) @Min(INT32_MIN) @IsInt() readonly control_plane_count?: number;
  @IsOptional() @Nested(() => LoadBalancerRequest) readonly load_balancer?: LoadBalancerRequest;
}

@Defaults({
  vip_dhcp_allocation: false,
  user_managed_networking: false,
  hyperthreading: 'all',
  high_availability_mode: 'Full',
  cpu_architecture: 'x86_64',
  cluster_network_cidr: DEFAULT_CLUSTER_NETWORK_CIDR,
  cluster_network_host_prefix: DEFAULT_HOST_PREFIX_IPV4,
  service_network_cidr: DEFAULT_SERVICE_NETWORK_CIDR,
})
export class RegisterClusterBody extends ClusterFields {
  @MaxLength(CLUSTER_NAME_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name!: string;
  @IsOptional() @IsIn(HIGH_AVAILABILITY_MODES) readonly high_availability_mode?: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version!: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ocp_release_image?: string;
  @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly pull_secret!: string;
  @IsOptional() @IsIn(CLUSTER_CPU_ARCHITECTURES) readonly cpu_architecture?: string;
}

export class ReviseClusterBody extends ClusterFields {
  @IsOptional() @MaxLength(CLUSTER_NAME_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly api_vip_dns_name?: string;
  @IsOptional() @IsNetwork() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly machine_network_cidr?: string;
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly pull_secret?: string;
}

export class ImportClusterBody {
  @MaxLength(CLUSTER_NAME_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly api_vip_dnsname!: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version?: string;
  @IsUUID('loose') readonly openshift_cluster_id!: string;
}

export class RegisterDisconnectedClusterBody {
  @MaxLength(CLUSTER_NAME_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version!: string;
}

export class FinalizingProgressBody {
  @IsOptional() @IsIn(FINALIZING_STAGES) readonly finalizing_stage?: string;
}

export class CompleteInstallationBody {
  @IsBoolean() readonly is_success!: boolean;
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly error_info?: string;
  @IsOptional() @IsObject() readonly data?: object;
}

export class OperatorReportBody {
  @MaxLength(TEXT_MAX_CHARACTERS) @MinLength(1) @IsString() readonly name!: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly version?: string;
  @IsOptional() @IsIn(OPERATOR_STATUSES) readonly status?: string;
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly status_info?: string;
}

export class LogsProgressBody {
  @IsIn(LOGS_STATES) readonly logs_state!: string;
}

export class IgnoredValidationsBody {
  /** JSON text of a list of ids, as in other fields of the v2 API. */
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly 'cluster-validation-ids'?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly 'host-validation-ids'?: string;
}

/** Request of the Muster API: sets the ignored validations and the reason. */
export class OverrideValidationsBody {
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  readonly host_validation_ids?: readonly string[];
  @IsOptional()
  @MaxLength(TEXT_MAX_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  readonly cluster_validation_ids?: readonly string[];
  /** The reason of the user. */
  @Matches(/\S/, { message: 'must not be blank' })
  @MaxLength(REASON_MAX_CHARACTERS)
  @MinLength(1)
  @IsString()
  readonly reason!: string;
}

/** Features that change the content of a bundle. */
const BUNDLE_FEATURES = ['SNO'];

export class ShowBundleQuery {
  @IsOptional()
  @IsIn(BUNDLE_FEATURES, { each: true })
  @ArrayMaxSize(LIST_MAX_ITEMS)
  @IsArray()
  @ToList()
  readonly feature_ids?: readonly string[];
}

@Defaults({ cpu_architecture: 'x86_64' })
export class ListBundlesQuery extends ShowBundleQuery {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version?: string;
  @IsOptional() @IsIn(CLUSTER_CPU_ARCHITECTURES) @LastValue() readonly cpu_architecture?: string;
  @IsOptional() @IsIn(PLATFORM_TYPES) @LastValue() readonly platform_type?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly external_platform_name?: string;
}
