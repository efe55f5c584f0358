import { ArchitectureLevelsQuery, DetailedFeaturesQuery, FeatureLevelsQuery } from '@muster/assisted-api';
import {
  type ArchitectureLevels,
  architectureLevels,
  detailedFeatures,
  type FeatureLevels,
  featureLevels,
} from '@muster/feature-support';
import { RefusalError } from '@muster/problems';
import { Controller, Get, Query } from '@nestjs/common';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { toDetailedFeatures, V2_DETAILED_FEATURES, type V2DetailedFeatures } from './detailed-features';
import { V2_ARCHITECTURE_LEVELS, V2_FEATURE_LEVELS } from './support-levels';
import { toSupportQuery } from './support-query';

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
