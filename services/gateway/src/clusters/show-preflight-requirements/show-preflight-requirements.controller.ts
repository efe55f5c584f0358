import { Controller, Get, Inject } from '@nestjs/common';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import {
  preflightRequirements,
  V2_PREFLIGHT_REQUIREMENTS,
  type V2PreflightRequirements,
} from './preflight-requirements';

@Controller('v2/clusters/:cluster_id/preflight-requirements')
export class ShowPreflightRequirementsController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Answers('Tells what machines need to have, before any of them is known.', V2_PREFLIGHT_REQUIREMENTS)
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string): Promise<V2PreflightRequirements> {
    const { requirements, operatorSettings } = this.config;
    return preflightRequirements(await this.clusters.document(clusterId), requirements, operatorSettings);
  }
}
