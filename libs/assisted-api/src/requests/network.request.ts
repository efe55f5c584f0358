import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { Defaults, IsAddressOrEmpty, IsNetwork, TEXT_MAX_CHARACTERS } from './field.decorators';
import { VIP_VERIFICATIONS } from './wire-values';

/** What a client read from a cluster it may send back: the owner's id in each member is accepted and ignored. */
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
