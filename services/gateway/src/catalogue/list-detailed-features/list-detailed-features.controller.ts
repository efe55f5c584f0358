import { Controller, Get } from '@nestjs/common';
import { DetailedFeaturesQuery } from '@muster/assisted-api';
import { detailedFeatures } from '@muster/feature-support';
import { RefusalError } from '@muster/problems';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { toSupportQuery } from '../support-query';
import { toDetailedFeatures, type V2DetailedFeatures } from './detailed-features';

@Controller('v2/support-levels/features/detailed')
export class ListDetailedFeaturesController {
  @Get()
  @Accepts('userAuth')
  handle(@QueryOf(DetailedFeaturesQuery) query: DetailedFeaturesQuery): V2DetailedFeatures {
    const found = detailedFeatures(toSupportQuery(query));
    if (found.kind === 'refused') throw new RefusalError(found.refusal);
    return toDetailedFeatures(found.features);
  }
}
