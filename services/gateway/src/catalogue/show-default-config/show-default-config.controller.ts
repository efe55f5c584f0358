import { Controller, Get, Inject } from '@nestjs/common';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';
import { toDefaultConfig, type V2DefaultConfig } from './default-config';

@Controller('v2/clusters/default-config')
export class ShowDefaultConfigController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Accepts('userAuth')
  handle(): V2DefaultConfig {
    return toDefaultConfig(this.config);
  }
}
