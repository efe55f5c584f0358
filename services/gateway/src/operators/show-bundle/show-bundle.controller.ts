import { Controller, Get } from '@nestjs/common';
import { ShowBundleQuery } from '@muster/assisted-api';
import { BUNDLE_IDS, bundleNamed } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { PathParam, QueryOf } from '../../http/parameters.decorators';
import { SINGLE_NODE_FEATURE, toV2Bundle, V2_BUNDLE, type V2Bundle } from '../bundle-view';

@Controller('v2/operators/bundles/:id')
export class ShowBundleController {
  @Get()
  @Answers('Shows a bundle of operators.', V2_BUNDLE)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  handle(@PathParam('id') id: string, @QueryOf(ShowBundleQuery) query: ShowBundleQuery): V2Bundle {
    const isSingleNode = query.feature_ids?.includes(SINGLE_NODE_FEATURE) ?? false;
    const bundle = bundleNamed(id, { isSingleNode });
    if (!bundle)
      throw new RefusalError({
        code: 'not-found',
        reason: 'There is no such bundle.',
        subject: 'id',
        allowed: BUNDLE_IDS,
      });
    return toV2Bundle(bundle);
  }
}
