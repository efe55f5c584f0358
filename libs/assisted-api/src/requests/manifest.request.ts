import { Choice, Text, textValidator } from './field.decorators';
import { QueryChoice, QueryFlag, QueryText } from './query.decorators';

export const MANIFEST_FOLDERS = ['manifests', 'openshift'] as const;
/** Room for 1 MiB in base64; the service says how much too long a text is. */
const CONTENT_MAX_CHARACTERS = 2_097_152;

export class CreateManifestBody {
  @Choice(MANIFEST_FOLDERS, { fallback: 'manifests' }) readonly folder?: string;
  @Text({ required: true }) readonly file_name!: string;
  /** Base64. */
  @Text({ required: true, maxLength: CONTENT_MAX_CHARACTERS }) readonly content!: string;
}

export class ReviseManifestBody {
  @Choice(MANIFEST_FOLDERS, { required: true }) readonly folder!: string;
  @Text({ required: true }) readonly file_name!: string;
  @Choice(MANIFEST_FOLDERS) readonly updated_folder?: string;
  @Text() readonly updated_file_name?: string;
  /** Base64. */
  @Text({ maxLength: CONTENT_MAX_CHARACTERS }) readonly updated_content?: string;
}

export class ListManifestsQuery {
  @QueryFlag({ fallback: false }) readonly include_system_generated?: boolean;
}

export class ManifestQuery {
  @QueryChoice(MANIFEST_FOLDERS, { fallback: 'manifests' }) readonly folder?: string;
  @QueryText(textValidator({}), { required: true }) readonly file_name!: string;
}
