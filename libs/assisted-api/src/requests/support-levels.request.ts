import { QueryChoice, QueryText } from './query.decorators';
import { CLUSTER_CPU_ARCHITECTURES, PLATFORM_TYPES } from './wire-values';
import { textValidator } from './field.decorators';

const REQUIRED = { required: true };
/** The older operation knows one name more for the same machines. */
const DETAILED_CPU_ARCHITECTURES = CLUSTER_CPU_ARCHITECTURES.filter((name) => name !== 'aarch64');

export class ArchitectureLevelsQuery {
  @QueryText(textValidator({}), REQUIRED) readonly openshift_version!: string;
}

export class FeatureLevelsQuery {
  @QueryText(textValidator({}), REQUIRED) readonly openshift_version!: string;
  @QueryChoice(CLUSTER_CPU_ARCHITECTURES, { fallback: 'x86_64' }) readonly cpu_architecture?: string;
  @QueryChoice(PLATFORM_TYPES) readonly platform_type?: string;
  @QueryText() readonly external_platform_name?: string;
}

export class DetailedFeaturesQuery {
  @QueryText(textValidator({}), REQUIRED) readonly openshift_version!: string;
  @QueryChoice(DETAILED_CPU_ARCHITECTURES, { fallback: 'x86_64' }) readonly cpu_architecture?: string;
  @QueryChoice(PLATFORM_TYPES) readonly platform_type?: string;
  @QueryText() readonly external_platform_name?: string;
}
