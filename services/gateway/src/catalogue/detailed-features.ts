import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '@muster/assisted-api';
import { type DetailedFeature, FEATURE_IDS, type FeatureId, featureOfOperator } from '@muster/feature-support';
import { operatorNamed } from '@muster/operators';
import { supportLevel, unavailableReason } from './support-levels';

/** `feature` of the contract. */
const V2_FEATURE = Type.Object(
  {
    'feature-support-level-id': StringEnum<FeatureId>(FEATURE_IDS),
    support_level: supportLevel(),
    reason: Type.Optional(unavailableReason()),
    incompatibilities: Type.Array(StringEnum<FeatureId>(FEATURE_IDS)),
  },
  { title: 'feature' },
);
type V2Feature = Static<typeof V2_FEATURE>;

/** `operator` of the contract. */
const V2_OPERATOR_FEATURE = Type.Object(
  {
    ...V2_FEATURE.properties,
    name: Type.String(),
    dependencies: Type.Array(StringEnum<FeatureId>(FEATURE_IDS)),
  },
  { title: 'operator' },
);

export const V2_DETAILED_FEATURES = Type.Object(
  {
    features: Type.Array(V2_FEATURE),
    operators: Type.Array(V2_OPERATOR_FEATURE),
  },
  { title: 'detailed-features' },
);
export type V2DetailedFeatures = Static<typeof V2_DETAILED_FEATURES>;

/** Features that are operators are listed apart, with the operators that they bring along. */
export function toDetailedFeatures(features: readonly DetailedFeature[]): V2DetailedFeatures {
  return {
    features: features.filter(({ operator }) => operator === undefined).map(toFeature),
    operators: features.flatMap((feature) =>
      feature.operator === undefined
        ? []
        : [{ ...toFeature(feature), name: feature.operator, dependencies: dependenciesOf(feature.operator) }],
    ),
  };
}

function toFeature({ id, level, reason, incompatibilities }: DetailedFeature): V2Feature {
  return {
    'feature-support-level-id': id,
    support_level: level,
    ...(reason ? { reason } : {}),
    incompatibilities,
  };
}

/** As in a cluster of several hosts. */
function dependenciesOf(operator: string): readonly FeatureId[] {
  const names = operatorNamed(operator)?.dependencies({ isSingleNode: false }) ?? [];
  return names.map(featureOfOperator).filter((id) => id !== undefined);
}
