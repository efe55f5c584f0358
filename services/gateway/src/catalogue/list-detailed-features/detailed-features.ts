import {
  type DetailedFeature,
  type FeatureId,
  featureOfOperator,
  type SupportLevel,
  type UnavailableReason,
} from '@muster/feature-support';
import { operatorNamed } from '@muster/operators';

/** `feature` of the contract. */
export interface V2Feature {
  readonly 'feature-support-level-id': FeatureId;
  readonly support_level: SupportLevel;
  /** Absent when it can be used. */
  readonly reason?: UnavailableReason;
  readonly incompatibilities: readonly FeatureId[];
}

/** `operator` of the contract. */
export type V2OperatorFeature = V2Feature & {
  readonly name: string;
  readonly dependencies: readonly FeatureId[];
};

export interface V2DetailedFeatures {
  readonly features: readonly V2Feature[];
  readonly operators: readonly V2OperatorFeature[];
}

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
