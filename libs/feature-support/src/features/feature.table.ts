import type { Feature, FeatureId } from '../feature';
import { GENERAL_FEATURES } from './general.features';
import { NETWORK_TYPE_FEATURES, NETWORKING_FEATURES } from './networking.features';
import { OPERATOR_FEATURES } from './operator.features';
import { PLATFORM_FEATURES } from './platform.features';

/** All features of clusters and infra-envs whose support depends on version, architecture or platform. */
export const FEATURES: readonly Feature[] = [
  ...GENERAL_FEATURES,
  ...NETWORKING_FEATURES,
  ...NETWORK_TYPE_FEATURES,
  ...PLATFORM_FEATURES,
  ...OPERATOR_FEATURES,
];

const BY_ID = new Map(FEATURES.map((feature) => [feature.id, feature]));
const BY_OPERATOR = new Map(FEATURES.flatMap((feature) => (feature.operator ? [[feature.operator, feature.id]] : [])));

/**
 * Returns the row of a feature.
 * @throws Error for an id without a row, which a test of the table excludes
 */
export function featureOf(id: FeatureId): Feature {
  const feature = BY_ID.get(id);
  if (!feature) throw new Error(`Feature ${id} has no row.`);
  return feature;
}

/** Returns the feature of an OLM operator. */
export const featureOfOperator = (name: string): FeatureId | undefined =>
  BY_OPERATOR.get(name === 'ocs' ? 'odf' : name);
