import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { Defaults, LastValue, TEXT_MAX_CHARACTERS, ToBoolean } from './field.decorators';

export const MANIFEST_FOLDERS = ['manifests', 'openshift'] as const;
/** More than 1 MiB in base64, so that the service can report the size of a text that is too long. */
const CONTENT_MAX_CHARACTERS = 2_097_152;

@Defaults({ folder: 'manifests' })
export class CreateManifestBody {
  @IsOptional() @IsIn(MANIFEST_FOLDERS) readonly folder?: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly file_name!: string;
  /** Base64. */
  @MaxLength(CONTENT_MAX_CHARACTERS) @IsString() readonly content!: string;
}

export class ReviseManifestBody {
  @IsIn(MANIFEST_FOLDERS) readonly folder!: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly file_name!: string;
  @IsOptional() @IsIn(MANIFEST_FOLDERS) readonly updated_folder?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() readonly updated_file_name?: string;
  /** Base64. */
  @IsOptional() @MaxLength(CONTENT_MAX_CHARACTERS) @IsString() readonly updated_content?: string;
}

@Defaults({ include_system_generated: false })
export class ListManifestsQuery {
  @IsOptional() @IsBoolean() @ToBoolean() readonly include_system_generated?: boolean;
}

@Defaults({ folder: 'manifests' })
export class ManifestQuery {
  @IsOptional() @IsIn(MANIFEST_FOLDERS) @LastValue() readonly folder?: string;
  @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly file_name!: string;
}
