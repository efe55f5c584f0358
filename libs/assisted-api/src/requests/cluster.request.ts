import { FINALIZING_STAGES } from '@muster/domain';
import { Choice, FreeObject, Flag, ListOf, Part, Parts, Text, textValidator, Uuid, Whole } from './field.decorators';
import { WhenAbsent } from '../schema/request-schema';
import { ClusterNetworkRequest, NetworkRequest, VipRequest } from './network.request';
import {
  DiskEncryptionRequest,
  BundleRequest,
  IgnitionEndpointRequest,
  LoadBalancerRequest,
  OperatorRequest,
  PlatformRequest,
} from './platform.request';
import {
  CIDR_PATTERN,
  CLUSTER_CPU_ARCHITECTURES,
  CLUSTER_NAME_MAX_CHARACTERS,
  DOCUMENT_MAX_CHARACTERS,
  HIGH_AVAILABILITY_MODES,
  LOGS_STATES,
  NETWORK_TYPES,
  OPERATOR_STATUSES,
  REASON_MAX_CHARACTERS,
  ROLE_SELECTIONS,
  DEFAULT_CLUSTER_NETWORK_CIDR,
  DEFAULT_HOST_PREFIX_IPV4,
  DEFAULT_SERVICE_NETWORK_CIDR,
} from './wire-values';

/** What may be said about a cluster when it is made and later. */
export class ClusterFields {
  @Text() readonly base_dns_domain?: string;
  @Text({ pattern: CIDR_PATTERN }) readonly cluster_network_cidr?: string;
  @Whole({ min: 1, max: 128 }) readonly cluster_network_host_prefix?: number;
  @Text({ pattern: CIDR_PATTERN }) readonly service_network_cidr?: string;
  @Parts(VipRequest) readonly api_vips?: readonly VipRequest[];
  @Parts(VipRequest) readonly ingress_vips?: readonly VipRequest[];
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly ssh_public_key?: string;
  @Flag() readonly vip_dhcp_allocation?: boolean;
  @Text() readonly http_proxy?: string;
  @Text() readonly https_proxy?: string;
  @Text() readonly no_proxy?: string;
  @Flag() readonly user_managed_networking?: boolean;
  @Text() readonly additional_ntp_source?: string;
  @Text() readonly ntp_sources?: string;
  @Parts(OperatorRequest) readonly olm_operators?: readonly OperatorRequest[];
  @Parts(BundleRequest) readonly operator_bundles?: readonly BundleRequest[];
  @Choice(ROLE_SELECTIONS) readonly hyperthreading?: string;
  @Choice(NETWORK_TYPES) readonly network_type?: string;
  @Flag({ fallback: false }) readonly schedulable_masters?: boolean;
  @Parts(ClusterNetworkRequest) readonly cluster_networks?: readonly ClusterNetworkRequest[];
  @Parts(NetworkRequest) readonly service_networks?: readonly NetworkRequest[];
  @Parts(NetworkRequest) readonly machine_networks?: readonly NetworkRequest[];
  @Part(PlatformRequest) readonly platform?: PlatformRequest;
  @Part(DiskEncryptionRequest) readonly disk_encryption?: DiskEncryptionRequest;
  @Part(IgnitionEndpointRequest) readonly ignition_endpoint?: IgnitionEndpointRequest;
  @Text() readonly tags?: string;
  @Whole() readonly control_plane_count?: number;
  @Part(LoadBalancerRequest) readonly load_balancer?: LoadBalancerRequest;
}

@WhenAbsent({
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
  @Text({ required: true, minLength: 1, maxLength: CLUSTER_NAME_MAX_CHARACTERS }) readonly name!: string;
  @Choice(HIGH_AVAILABILITY_MODES) readonly high_availability_mode?: string;
  @Text({ required: true }) readonly openshift_version!: string;
  @Text() readonly ocp_release_image?: string;
  @Text({ required: true, maxLength: DOCUMENT_MAX_CHARACTERS }) readonly pull_secret!: string;
  @Choice(CLUSTER_CPU_ARCHITECTURES) readonly cpu_architecture?: string;
}

export class ReviseClusterBody extends ClusterFields {
  @Text({ minLength: 1, maxLength: CLUSTER_NAME_MAX_CHARACTERS }) readonly name?: string;
  @Text() readonly api_vip_dns_name?: string;
  @Text({ pattern: CIDR_PATTERN }) readonly machine_network_cidr?: string;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly pull_secret?: string;
}

export class ImportClusterBody {
  @Text({ required: true, minLength: 1, maxLength: CLUSTER_NAME_MAX_CHARACTERS }) readonly name!: string;
  @Text({ required: true, minLength: 1 }) readonly api_vip_dnsname!: string;
  @Text() readonly openshift_version?: string;
  @Uuid({ required: true }) readonly openshift_cluster_id!: string;
}

export class RegisterDisconnectedClusterBody {
  @Text({ required: true, minLength: 1, maxLength: CLUSTER_NAME_MAX_CHARACTERS }) readonly name!: string;
  @Text({ required: true }) readonly openshift_version!: string;
}

export class FinalizingProgressBody {
  @Choice(FINALIZING_STAGES) readonly finalizing_stage?: string;
}

export class CompleteInstallationBody {
  @Flag({ required: true }) readonly is_success!: boolean;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly error_info?: string;
  @FreeObject() readonly data?: object;
}

export class OperatorReportBody {
  @Text({ required: true, minLength: 1 }) readonly name!: string;
  @Text() readonly version?: string;
  @Choice(OPERATOR_STATUSES) readonly status?: string;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly status_info?: string;
}

export class LogsProgressBody {
  @Choice(LOGS_STATES, { required: true }) readonly logs_state!: string;
}

export class IgnoredValidationsBody {
  /** JSON text of a list of ids, as are the contract's other documents. */
  @Text() readonly 'cluster-validation-ids'?: string;
  @Text() readonly 'host-validation-ids'?: string;
}

/** Not of the contract: which validations are ignored from now on, and why. */
export class OverrideValidationsBody {
  @ListOf(textValidator({ minLength: 1 })) readonly host_validation_ids?: readonly string[];
  @ListOf(textValidator({ minLength: 1 })) readonly cluster_validation_ids?: readonly string[];
  /** In the words of whoever decides it. */
  @Text({ required: true, minLength: 1, maxLength: REASON_MAX_CHARACTERS, pattern: /\S/ }) readonly reason!: string;
}
