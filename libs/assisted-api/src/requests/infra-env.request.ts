import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { ProxyRequest } from './cluster.request';
import {
  Defaults,
  INT32_MAX,
  IsAddressOrEmpty,
  IsKernelArgument,
  IsMac,
  Nested,
  NestedList,
  TEXT_MAX_CHARACTERS,
} from './field.decorators';
import {
  CPU_ARCHITECTURES,
  DISCOVERY_IMAGE_TYPES,
  DOCUMENT_MAX_CHARACTERS,
  KERNEL_ARGUMENT_OPERATIONS,
  TRUST_BUNDLE_MAX_CHARACTERS,
} from './wire-values';

export class MacInterfaceRequest {
  @IsMac() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly mac_address!: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly logical_nic_name?: string;
}

export class HostNetworkRequest {
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly network_yaml?: string;
  @IsOptional() @NestedList(() => MacInterfaceRequest) readonly mac_interface_map?: readonly MacInterfaceRequest[];
}

export class KernelArgumentRequest {
  @IsOptional() @IsIn(KERNEL_ARGUMENT_OPERATIONS) readonly operation?: string;
  @IsOptional() @IsKernelArgument() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly value?: string;
}

class InfraEnvFields {
  @IsOptional() @Nested(() => ProxyRequest) readonly proxy?: ProxyRequest;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly additional_ntp_sources?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ntp_sources?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly ssh_authorized_key?: string;
  @IsOptional() @NestedList(() => HostNetworkRequest) readonly static_network_config?: readonly HostNetworkRequest[];
  @IsOptional() @IsAddressOrEmpty() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly rendezvous_ip?: string;
  @IsOptional() @IsIn(DISCOVERY_IMAGE_TYPES) readonly image_type?: string;
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly ignition_config_override?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version?: string;
  @IsOptional() @NestedList(() => KernelArgumentRequest) readonly kernel_arguments?: readonly KernelArgumentRequest[];
  @IsOptional() @MaxLength(TRUST_BUNDLE_MAX_CHARACTERS) @IsString() readonly additional_trust_bundle?: string;
  @IsOptional() @Max(INT32_MAX) @Min(0) @IsInt() readonly network_discovery_delay_seconds?: number;
}

@Defaults({ cpu_architecture: 'x86_64' })
export class RegisterInfraEnvBody extends InfraEnvFields {
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly name!: string;
  @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly pull_secret!: string;
  @IsOptional() @IsUUID('loose') readonly cluster_id?: string;
  @IsOptional() @IsIn(CPU_ARCHITECTURES) readonly cpu_architecture?: string;
}

export class ReviseInfraEnvBody extends InfraEnvFields {
  @IsOptional() @MaxLength(DOCUMENT_MAX_CHARACTERS) @IsString() readonly pull_secret?: string;
}

/** Request of the Muster API: validates static networks. */
export class PreviewStaticNetworksBody {
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly openshift_version?: string;
  @NestedList(() => HostNetworkRequest) readonly static_network_config!: readonly HostNetworkRequest[];
}
