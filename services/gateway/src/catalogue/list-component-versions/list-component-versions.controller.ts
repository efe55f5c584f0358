import { Controller, Get, Inject } from '@nestjs/common';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

@Controller('v2/component-versions')
export class ListComponentVersionsController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Accepts('userAuth')
  handle(): { readonly versions: { readonly [component: string]: string }; readonly release_tag: string } {
    return { versions: this.config.componentVersions, release_tag: this.config.releaseTag };
  }
}
