import { Controller, Get } from '@nestjs/common';
import { DetailedFeaturesQuery } from '@muster/assisted-api';
import { detailedFeatures } from '@muster/feature-support';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { toSupportQuery } from '../support-query';
import { toDetailedFeatures, V2_DETAILED_FEATURES, type V2DetailedFeatures } from './detailed-features';

@Controller('v2/support-levels/features/detailed')
export class ListDetailedFeaturesController {
  @Get()
  @Answers(
    'Tells how well each feature and operator is supported, why not, and what they exclude.',
    V2_DETAILED_FEATURES,
  )
  @Accepts('userAuth')
  handle(@QueryOf(DetailedFeaturesQuery) query: DetailedFeaturesQuery): V2DetailedFeatures {
    const found = detailedFeatures(toSupportQuery(query));
    if (found.kind === 'refused') throw new RefusalError(found.refusal);
    return toDetailedFeatures(found.features);
  }
}
