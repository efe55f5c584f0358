import { Controller, Get } from '@nestjs/common';
import { FeatureLevelsQuery } from '@muster/assisted-api';
import { type FeatureLevels, featureLevels } from '@muster/feature-support';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { toSupportQuery } from '../support-query';

@Controller('v2/support-levels/features')
export class ListFeatureLevelsController {
  @Get()
  @Accepts('userAuth')
  handle(@QueryOf(FeatureLevelsQuery) query: FeatureLevelsQuery): { readonly features: FeatureLevels } {
    return { features: featureLevels(toSupportQuery(query)) };
  }
}
