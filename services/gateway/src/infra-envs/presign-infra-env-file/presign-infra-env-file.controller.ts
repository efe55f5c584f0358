import { Controller, Get, Req } from '@nestjs/common';
import { PresignedInfraEnvFileQuery, UNSET_TIME, V2_SIGNED_URL } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { InfraEnvViews } from '../../views/infra-env-views';
import { ImageUrls } from '../show-image-url/image-urls';

@Controller('v2/infra-envs/:infra_env_id/downloads/files-presigned')
export class PresignInfraEnvFileController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
  ) {}

  /** An address for machines, which have no other way to prove who they are. */
  @Get()
  @Answers('Gives an address of a file that machines can fetch without any other proof.', V2_SIGNED_URL)
  @Accepts('userAuth')
  @OnlyRoles('admin', 'user')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @QueryOf(PresignedInfraEnvFileQuery) query: PresignedInfraEnvFileQuery,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string; readonly expires_at: string }> {
    const infraEnv = await this.infraEnvs.document(infraEnvId);
    const parameters = {
      file_name: query.file_name,
      ...(query.ipxe_script_type && { ipxe_script_type: query.ipxe_script_type }),
    };
    return {
      url: await this.urls.file(infraEnv, parameters, request),
      expires_at: this.urls.expiresAt() ?? UNSET_TIME,
    };
  }
}
