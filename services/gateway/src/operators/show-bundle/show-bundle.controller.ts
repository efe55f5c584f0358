import { Controller, Get, Param } from '@nestjs/common';
import { ShowBundleQuery } from '@muster/assisted-api';
import { BUNDLE_IDS, bundleNamed } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { SINGLE_NODE_FEATURE, toV2Bundle, type V2Bundle } from '../bundle-view';

@Controller('v2/operators/bundles/:id')
export class ShowBundleController {
  @Get()
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  handle(@Param('id') id: string, @QueryOf(ShowBundleQuery) query: ShowBundleQuery): V2Bundle {
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
