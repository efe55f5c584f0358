import { Controller, Get, Inject } from '@nestjs/common';
import type { ReleaseSource } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

/** Which channels releases are taken from; the catalogue itself is what `openshift-versions` lists. */
@Controller('v2/release-sources')
export class ListReleaseSourcesController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Accepts('userAuth')
  handle(): readonly ReleaseSource[] {
    return this.config.releaseSources;
  }
}
