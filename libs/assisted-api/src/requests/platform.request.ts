import { Choice, ListOf, Part, Text, textValidator } from './field.decorators';
import {
  CLOUD_CONTROLLER_MANAGERS,
  ENCRYPTION_MODES,
  LOAD_BALANCER_TYPES,
  PLATFORM_TYPES,
  ROLE_SELECTIONS,
} from './wire-values';

export class ExternalPlatformRequest {
  @Text({ minLength: 1 }) readonly platform_name?: string;
  @Choice(CLOUD_CONTROLLER_MANAGERS) readonly cloud_controller_manager?: string;
}

export class PlatformRequest {
  @Choice(PLATFORM_TYPES, { required: true }) readonly type!: string;
  @Part(ExternalPlatformRequest) readonly external?: ExternalPlatformRequest;
}

export class DiskEncryptionRequest {
  @Choice(ROLE_SELECTIONS, { fallback: 'none' }) readonly enable_on?: string;
  @Choice(ENCRYPTION_MODES, { fallback: 'tpmv2' }) readonly mode?: string;
  /** JSON text: `[{"url": …, "thumbprint": …}]`. */
  @Text() readonly tang_servers?: string;
}

export class IgnitionEndpointRequest {
  @Text() readonly url?: string;
  /** Base64. */
  @Text() readonly ca_certificate?: string;
}

export class LoadBalancerRequest {
  @Choice(LOAD_BALANCER_TYPES) readonly type?: string;
}

/** A set of operators, with those of its optional ones that are wanted; absent: all of them. */
export class BundleRequest {
  @Text({ required: true, minLength: 1 }) readonly id!: string;
  @ListOf(textValidator({})) readonly optional_operators?: readonly string[];
}

export class OperatorRequest {
  @Text() readonly name?: string;
  /** JSON text. */
  @Text() readonly properties?: string;
}
