import { Choice, Text, Uuid, Whole } from './field.decorators';
import { ADDRESS_PATTERN, CIDR_PATTERN, VIP_VERIFICATIONS } from './wire-values';

/** What a client read from a cluster it may send back: the owner's id in each member is accepted and ignored. */
class OwnedByCluster {
  @Uuid() readonly cluster_id?: string;
}

export class ClusterNetworkRequest extends OwnedByCluster {
  @Text({ pattern: CIDR_PATTERN, required: true }) readonly cidr!: string;
  @Whole({ min: 1, max: 128 }) readonly host_prefix?: number;
}

export class NetworkRequest extends OwnedByCluster {
  @Text({ pattern: CIDR_PATTERN, required: true }) readonly cidr!: string;
}

export class VipRequest extends OwnedByCluster {
  @Text({ pattern: ADDRESS_PATTERN }) readonly ip?: string;
  @Choice(VIP_VERIFICATIONS, { fallback: 'unverified' }) readonly verification?: string;
}

export class ProxyRequest {
  @Text() readonly http_proxy?: string;
  @Text() readonly https_proxy?: string;
  @Text() readonly no_proxy?: string;
}
