import { Choice, Part, Parts, Text, Uuid, Whole } from './field.decorators';
import { WhenAbsent } from '../schema/request-schema';
import { ProxyRequest } from './network.request';
import {
  ADDRESS_PATTERN,
  CPU_ARCHITECTURES,
  DISCOVERY_IMAGE_TYPES,
  DOCUMENT_MAX_CHARACTERS,
  KERNEL_ARGUMENT_OPERATIONS,
  KERNEL_ARGUMENT_PATTERN,
  MAC_PATTERN,
  TRUST_BUNDLE_MAX_CHARACTERS,
} from './wire-values';

export class MacInterfaceRequest {
  @Text({ required: true, pattern: MAC_PATTERN }) readonly mac_address!: string;
  @Text() readonly logical_nic_name?: string;
}

export class HostNetworkRequest {
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly network_yaml?: string;
  @Parts(MacInterfaceRequest) readonly mac_interface_map?: readonly MacInterfaceRequest[];
}

export class KernelArgumentRequest {
  @Choice(KERNEL_ARGUMENT_OPERATIONS) readonly operation?: string;
  @Text({ pattern: KERNEL_ARGUMENT_PATTERN }) readonly value?: string;
}

class InfraEnvFields {
  @Part(ProxyRequest) readonly proxy?: ProxyRequest;
  @Text() readonly additional_ntp_sources?: string;
  @Text() readonly ntp_sources?: string;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly ssh_authorized_key?: string;
  @Parts(HostNetworkRequest) readonly static_network_config?: readonly HostNetworkRequest[];
  @Text({ pattern: ADDRESS_PATTERN }) readonly rendezvous_ip?: string;
  @Choice(DISCOVERY_IMAGE_TYPES) readonly image_type?: string;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly ignition_config_override?: string;
  @Text() readonly openshift_version?: string;
  @Parts(KernelArgumentRequest) readonly kernel_arguments?: readonly KernelArgumentRequest[];
  @Text({ maxLength: TRUST_BUNDLE_MAX_CHARACTERS }) readonly additional_trust_bundle?: string;
  @Whole({ min: 0 }) readonly network_discovery_delay_seconds?: number;
}

@WhenAbsent({ cpu_architecture: 'x86_64' })
export class RegisterInfraEnvBody extends InfraEnvFields {
  @Text({ required: true }) readonly name!: string;
  @Text({ required: true, maxLength: DOCUMENT_MAX_CHARACTERS }) readonly pull_secret!: string;
  @Uuid() readonly cluster_id?: string;
  @Choice(CPU_ARCHITECTURES) readonly cpu_architecture?: string;
}

export class ReviseInfraEnvBody extends InfraEnvFields {
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly pull_secret?: string;
}

/** Not of the contract: what static networks would become. */
export class PreviewStaticNetworksBody {
  @Text() readonly openshift_version?: string;
  @Parts(HostNetworkRequest, { required: true }) readonly static_network_config!: readonly HostNetworkRequest[];
}
