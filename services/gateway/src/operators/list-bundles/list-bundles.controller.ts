import { Controller, Get } from '@nestjs/common';
import { list, ListBundlesQuery } from '@muster/assisted-api';
import { bundlesOf } from '@muster/operators';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { toSupportQuery } from '../../catalogue/support-query';
import { QueryOf } from '../../http/parameters.decorators';
import { availableBundle, SINGLE_NODE_FEATURE, toV2Bundle, V2_BUNDLE, type V2Bundle } from '../bundle-view';

@Controller('v2/operators/bundles')
export class ListBundlesController {
  /** Without a version all of them, wherever they can be had. */
  @Get()
  @Answers('Lists bundles of operators that can be had together.', list(V2_BUNDLE))
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  handle(@QueryOf(ListBundlesQuery) query: ListBundlesQuery): readonly V2Bundle[] {
    const bundles = bundlesOf({ isSingleNode: query.feature_ids?.includes(SINGLE_NODE_FEATURE) ?? false });
    const { openshift_version: version } = query;
    if (version === undefined) return bundles.map(toV2Bundle);
    const place = toSupportQuery({ ...query, openshift_version: version });
    return bundles.flatMap((bundle) => availableBundle(bundle, place) ?? []).map(toV2Bundle);
  }
}
