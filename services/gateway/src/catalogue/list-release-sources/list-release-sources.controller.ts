import { Controller, Get, Inject } from '@nestjs/common';
import { list, type ReleaseSource, V2_RELEASE_SOURCE } from '@muster/assisted-api';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

/** Which channels releases are taken from; the catalogue itself is what `openshift-versions` lists. */
@Controller('v2/release-sources')
export class ListReleaseSourcesController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Answers('Lists the channels that releases are taken from.', list(V2_RELEASE_SOURCE))
  @Accepts('userAuth')
  handle(): readonly ReleaseSource[] {
    return this.config.releaseSources;
  }
}
