import {
  ArchitectureLevelsQuery,
  DetailedFeaturesQuery,
  Dictionary,
  FeatureLevelsQuery,
  type Static,
  StringEnum,
} from '@muster/assisted-api';
import {
  type ArchitectureLevels,
  architectureLevels,
  canonicalArchitecture,
  type DetailedFeature,
  detailedFeatures,
  FEATURE_IDS,
  type FeatureId,
  type FeatureLevels,
  featureLevels,
  featureOfOperator,
  type SupportLevel,
  type SupportQuery,
  type UnavailableReason,
} from '@muster/feature-support';
import { operatorNamed } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Controller, Get, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';

const DEFAULT_ARCHITECTURE = 'x86_64';

/** Converts the query to the terms of the support table. */
export function toSupportQuery(query: FeatureLevelsQuery): SupportQuery {
  return {
    version: query.openshift_version,
    architecture: canonicalArchitecture(query.cpu_architecture ?? DEFAULT_ARCHITECTURE),
    platform: query.platform_type,
    externalPlatformName: query.platform_type === 'external' ? query.external_platform_name : undefined,
  };
}

const LEVELS = [
  'supported',
  'unsupported',
  'tech-preview',
  'dev-preview',
  'unavailable',
] as const satisfies readonly SupportLevel[];
const REASONS = [
  'cpuArchitecture',
  'platform',
  'openshiftVersion',
  'ociExternalIntegrationDisabled',
] as const satisfies readonly UnavailableReason[];

export const supportLevel = () => StringEnum<SupportLevel>(LEVELS);
export const unavailableReason = () => StringEnum<UnavailableReason>(REASONS);

/** Support levels by feature id. */
export const V2_FEATURE_LEVELS = Type.Object({ features: Dictionary(supportLevel()) }, { title: 'feature-levels' });
/** Support levels by architecture id. */
export const V2_ARCHITECTURE_LEVELS = Type.Object(
  { architectures: Dictionary(supportLevel()) },
  { title: 'architecture-levels' },
);

/** `feature` of the v2 API. */
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

/** `operator` of the v2 API. */
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

/** Lists features that are operators separately, with the operators on which they depend. */
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

/** The dependencies in a cluster of several hosts. */
function dependenciesOf(operator: string): readonly FeatureId[] {
  const names = operatorNamed(operator)?.dependencies({ isSingleNode: false }) ?? [];
  return names.map(featureOfOperator).filter((id) => id !== undefined);
}

@Controller('v2/support-levels')
export class SupportLevelsController {
  @Get('architectures')
  @Answers('List the support level of each CPU architecture.', V2_ARCHITECTURE_LEVELS)
  @Accepts('userAuth')
  listArchitectureLevels(@Query() query: ArchitectureLevelsQuery): {
    readonly architectures: ArchitectureLevels;
  } {
    return { architectures: architectureLevels(query.openshift_version) };
  }

  @Get('features')
  @Answers('List the support level of each feature.', V2_FEATURE_LEVELS)
  @Accepts('userAuth')
  listFeatureLevels(@Query() query: FeatureLevelsQuery): { readonly features: FeatureLevels } {
    return { features: featureLevels(toSupportQuery(query)) };
  }

  @Get('features/detailed')
  @Answers(
    'List the support level of each feature and operator with reasons and incompatibilities.',
    V2_DETAILED_FEATURES,
  )
  @Accepts('userAuth')
  listDetailedFeatures(@Query() query: DetailedFeaturesQuery): V2DetailedFeatures {
    const found = detailedFeatures(toSupportQuery(query));
    if (found.kind === 'refused') throw new RefusalError(found.refusal);
    return toDetailedFeatures(found.features);
  }
}
