import { Controller, Get, Req } from '@nestjs/common';
import { UNSET_TIME, V2_SIGNED_URL } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Id } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';
import { ImageUrls } from './image-urls';

@Controller('v2/infra-envs/:infra_env_id/downloads/image-url')
export class ShowImageUrlController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
  ) {}

  /** Where the URL does not expire the contract says so by the time that never was. */
  @Get()
  @Answers('Gives the address that the image is downloaded from.', V2_SIGNED_URL)
  @Accepts('userAuth')
  @OnlyRoles('admin', 'user')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string; readonly expires_at: string }> {
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    return { url: await this.urls.of(infraEnv, request), expires_at: this.urls.expiresAt() ?? UNSET_TIME };
  }
}
