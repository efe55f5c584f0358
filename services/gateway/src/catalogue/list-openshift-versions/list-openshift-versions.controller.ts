import { Controller, Get } from '@nestjs/common';
import {
  dictionary,
  OpenshiftVersionsQuery,
  V2_OPENSHIFT_VERSION,
  type V2OpenshiftVersion,
  VersionCatalogue,
} from '@muster/assisted-api';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';

@Controller('v2/openshift-versions')
export class ListOpenshiftVersionsController {
  constructor(private readonly catalogue: VersionCatalogue) {}

  @Get()
  @Answers('Lists the versions that can be installed, by their names.', dictionary(V2_OPENSHIFT_VERSION))
  @Accepts('userAuth')
  handle(@QueryOf(OpenshiftVersionsQuery) query: OpenshiftVersionsQuery): {
    readonly [version: string]: V2OpenshiftVersion;
  } {
    return this.catalogue.toV2({ version: query.version, onlyLatest: query.only_latest });
  }
}
