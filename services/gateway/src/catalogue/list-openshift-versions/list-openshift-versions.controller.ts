import { Controller, Get } from '@nestjs/common';
import { OpenshiftVersionsQuery, type V2OpenshiftVersion, VersionCatalogue } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';

@Controller('v2/openshift-versions')
export class ListOpenshiftVersionsController {
  constructor(private readonly catalogue: VersionCatalogue) {}

  @Get()
  @Accepts('userAuth')
  handle(@QueryOf(OpenshiftVersionsQuery) query: OpenshiftVersionsQuery): {
    readonly [version: string]: V2OpenshiftVersion;
  } {
    return this.catalogue.toV2({ version: query.version, onlyLatest: query.only_latest });
  }
}
