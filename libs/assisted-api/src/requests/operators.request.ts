import { textValidator } from './field.decorators';
import { QueryChoice, QueryList, QueryText } from './query.decorators';
import { CLUSTER_CPU_ARCHITECTURES, PLATFORM_TYPES } from './wire-values';

/** Features that change what a bundle consists of. */
const BUNDLE_FEATURES = ['SNO'];

export class ShowBundleQuery {
  @QueryList(textValidator({ oneOf: BUNDLE_FEATURES })) readonly feature_ids?: readonly string[];
}

export class ListBundlesQuery extends ShowBundleQuery {
  @QueryText() readonly openshift_version?: string;
  @QueryChoice(CLUSTER_CPU_ARCHITECTURES, { fallback: 'x86_64' }) readonly cpu_architecture?: string;
  @QueryChoice(PLATFORM_TYPES) readonly platform_type?: string;
  @QueryText() readonly external_platform_name?: string;
}
