import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { Defaults, LIST_MAX_ITEMS, LastValue, TEXT_MAX_CHARACTERS, ToList } from './field.decorators';
import { CLUSTER_CPU_ARCHITECTURES, PLATFORM_TYPES } from './wire-values';

/** Features that change what a bundle consists of. */
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
