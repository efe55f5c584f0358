import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { Defaults, LastValue, TEXT_MAX_CHARACTERS } from './field.decorators';
import { CLUSTER_CPU_ARCHITECTURES, PLATFORM_TYPES } from './wire-values';

/** The older operation knows one name more for the same machines. */
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
