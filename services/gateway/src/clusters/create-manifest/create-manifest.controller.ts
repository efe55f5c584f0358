import { Controller, HttpCode, Post } from '@nestjs/common';
import { CreateManifestBody } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { checkBase64, presentManifest, V2_MANIFEST, type V2Manifest } from '../manifests';

@Controller('v2/clusters/:cluster_id/manifests')
export class CreateManifestController {
  constructor(private readonly commands: Commands) {}

  @Post()
  @HttpCode(201)
  @Answers('Adds a manifest that the cluster is installed with.', V2_MANIFEST, { checksNames: true })
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(CreateManifestBody) { folder = 'manifests', file_name: fileName, content }: CreateManifestBody,
    @Context() context: CommandContext,
  ): Promise<V2Manifest> {
    const input = { clusterId, folder, fileName, content: checkBase64('content', content) };
    const { manifest } = await this.commands.execute(IgnitionService.method.storeManifest, input, context);
    return presentManifest(manifest ?? { folder, fileName, source: 'user' });
  }
}
