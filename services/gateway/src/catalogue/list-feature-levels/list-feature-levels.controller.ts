import { Controller, Get } from '@nestjs/common';
import { FeatureLevelsQuery } from '@muster/assisted-api';
import { type FeatureLevels, featureLevels } from '@muster/feature-support';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { toSupportQuery } from '../support-query';
import { V2_FEATURE_LEVELS } from '../support-levels';

@Controller('v2/support-levels/features')
export class ListFeatureLevelsController {
  @Get()
  @Answers('Tells how well each feature is supported.', V2_FEATURE_LEVELS)
  @Accepts('userAuth')
  handle(@QueryOf(FeatureLevelsQuery) query: FeatureLevelsQuery): { readonly features: FeatureLevels } {
    return { features: featureLevels(toSupportQuery(query)) };
  }
}
