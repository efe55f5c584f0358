import { Controller, Get, Req } from '@nestjs/common';
import { UNSET_TIME } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Accepts } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';
import { ImageUrls } from './image-urls';

@Controller('v2/infra-envs/:infra_env_id/downloads/image-url')
export class ShowImageUrlController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
  ) {}

  /** The URL does not expire, which the contract says by the time that never was. */
  @Get()
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string; readonly expires_at: string }> {
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    return { url: await this.urls.of(infraEnv, request), expires_at: UNSET_TIME };
  }
}
