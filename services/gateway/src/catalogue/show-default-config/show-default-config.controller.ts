import { Controller, Get, Inject } from '@nestjs/common';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';
import { toDefaultConfig, V2_DEFAULT_CONFIG, type V2DefaultConfig } from './default-config';

@Controller('v2/clusters/default-config')
export class ShowDefaultConfigController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Answers('Shows what the settings of a cluster are when nothing is said.', V2_DEFAULT_CONFIG)
  @Accepts('userAuth')
  handle(): V2DefaultConfig {
    return toDefaultConfig(this.config);
  }
}
