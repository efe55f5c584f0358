import { Controller, Get, Inject, Param } from '@nestjs/common';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';
import { ReportedBodies } from '../views/reported-bodies';
import {
  preflightRequirements,
  V2_PREFLIGHT_REQUIREMENTS,
  type V2PreflightRequirements,
} from './preflight-requirements';
import { manufacturerOf, type PlatformType, supportedPlatforms, V2_PLATFORM_TYPES } from './supported-platforms';

@Controller('v2/clusters/:cluster_id')
export class ClusterRequirementsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
    private readonly bodies: ReportedBodies,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get('supported-platforms')
  @Answers('List the platforms that the cluster can be installed on with its hosts.', V2_PLATFORM_TYPES)
  @Accepts('userAuth')
  async listSupportedPlatforms(@Param('cluster_id', IdPipe) clusterId: string): Promise<readonly PlatformType[]> {
    const cluster = await this.clusters.document(clusterId);
    const hosts = await this.hosts.documentsOfCluster(clusterId);
    const inventories = await Promise.all(hosts.map((host) => this.bodies.text(host._inventory_digest)));
    return supportedPlatforms({
      version: cluster.openshift_version,
      architecture: cluster.cpu_architecture,
      isSingleNode: cluster.control_plane_count === 1,
      manufacturers: inventories.map(manufacturerOf),
    });
  }

  @Get('preflight-requirements')
  @Answers('Get the hardware requirements of hosts and operators.', V2_PREFLIGHT_REQUIREMENTS)
  @Accepts('userAuth')
  async showPreflightRequirements(@Param('cluster_id', IdPipe) clusterId: string): Promise<V2PreflightRequirements> {
    const { requirements, operatorSettings } = this.config;
    return preflightRequirements(await this.clusters.document(clusterId), requirements, operatorSettings);
  }
}
