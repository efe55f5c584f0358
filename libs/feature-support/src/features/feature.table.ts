import type { Feature, FeatureId } from '../feature';
import { GENERAL_FEATURES } from './general.features';
import { NETWORK_TYPE_FEATURES, NETWORKING_FEATURES } from './networking.features';
import { OPERATOR_FEATURES } from './operator.features';
import { PLATFORM_FEATURES } from './platform.features';

/** Everything a cluster or an infra-env can be or have whose support depends on version, architecture or platform. */
export const FEATURES: readonly Feature[] = [
  ...GENERAL_FEATURES,
  ...NETWORKING_FEATURES,
  ...NETWORK_TYPE_FEATURES,
  ...PLATFORM_FEATURES,
  ...OPERATOR_FEATURES,
];

const BY_ID = new Map(FEATURES.map((feature) => [feature.id, feature]));
const BY_OPERATOR = new Map(FEATURES.flatMap((feature) => (feature.operator ? [[feature.operator, feature.id]] : [])));

/** Throws for an id without a row, which the table's own test rules out. */
export function featureOf(id: FeatureId): Feature {
  const feature = BY_ID.get(id);
  if (!feature) throw new Error(`Feature ${id} has no row.`);
  return feature;
}

/** The feature that an OLM operator is. */
export const featureOfOperator = (name: string): FeatureId | undefined =>
  BY_OPERATOR.get(name === 'ocs' ? 'odf' : name);
