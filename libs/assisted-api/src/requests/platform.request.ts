import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { Defaults, LIST_MAX_ITEMS, Nested, TEXT_MAX_CHARACTERS } from './field.decorators';
import {
  CLOUD_CONTROLLER_MANAGERS,
  ENCRYPTION_MODES,
  LOAD_BALANCER_TYPES,
  PLATFORM_TYPES,
  ROLE_SELECTIONS,
} from './wire-values';

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

/** A set of operators, with those of its optional ones that are wanted; absent: all of them. */
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
