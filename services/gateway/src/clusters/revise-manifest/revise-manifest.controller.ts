import { Controller, Patch } from '@nestjs/common';
import { ReviseManifestBody } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { checkBase64, presentManifest, V2_MANIFEST, type V2Manifest } from '../manifests';

@Controller('v2/clusters/:cluster_id/manifests')
export class ReviseManifestController {
  constructor(private readonly commands: Commands) {}

  @Patch()
  @Answers('Moves a manifest or replaces its content.', V2_MANIFEST, { checksNames: true })
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(ReviseManifestBody) body: ReviseManifestBody,
    @Context() context: CommandContext,
  ): Promise<V2Manifest> {
    const { folder, file_name: fileName, updated_folder, updated_file_name, updated_content } = body;
    const input = {
      clusterId,
      folder,
      fileName,
      newFolder: updated_folder,
      newFileName: updated_file_name,
      newContent: updated_content === undefined ? undefined : checkBase64('updated_content', updated_content),
    };
    const { manifest } = await this.commands.execute(IgnitionService.method.reviseManifest, input, context);
    return presentManifest(manifest ?? { folder, fileName, source: 'user' });
  }
}
