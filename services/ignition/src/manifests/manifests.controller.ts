import { IgnitionService } from '@muster/contracts';
import type { Manifest } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Manifests } from './manifests';

type Methods = typeof IgnitionService.method;

@Controller()
export class ManifestsController {
  constructor(private readonly manifests: Manifests) {}

  @Handles(IgnitionService.method.listManifests)
  async list({
    clusterId,
    includeSystemGenerated,
  }: InputOf<Methods['listManifests']>): Promise<OutputOf<Methods['listManifests']>> {
    const manifests = await this.manifests.list(clusterId);
    return { manifests: manifests.filter(({ source }) => includeSystemGenerated || source === 'user').map(entryOf) };
  }

  @Handles(IgnitionService.method.readManifest)
  async read({
    clusterId,
    folder,
    fileName,
  }: InputOf<Methods['readManifest']>): Promise<OutputOf<Methods['readManifest']>> {
    return { content: (await this.manifests.read(clusterId, folder, fileName)).toString('base64') };
  }

  @Handles(IgnitionService.method.storeManifest)
  async store(
    { clusterId, folder, fileName, content }: InputOf<Methods['storeManifest']>,
    context: CommandContext,
  ): Promise<OutputOf<Methods['storeManifest']>> {
    const given = { folder, fileName, content: Buffer.from(content, 'base64') };
    const { stored, manifest } = await this.manifests.store(clusterId, given, context);
    return { stored, manifest: entryOf(manifest) };
  }

  @Handles(IgnitionService.method.reviseManifest)
  async revise(
    input: InputOf<Methods['reviseManifest']>,
    context: CommandContext,
  ): Promise<OutputOf<Methods['reviseManifest']>> {
    const { clusterId, newFolder: folder, newFileName: fileName, newContent } = input;
    const content = newContent === undefined ? undefined : Buffer.from(newContent, 'base64');
    const { stored, manifest } = await this.manifests.revise(clusterId, input, { folder, fileName, content }, context);
    return { stored, manifest: entryOf(manifest) };
  }

  @Handles(IgnitionService.method.removeManifest)
  async remove(
    { clusterId, folder, fileName }: InputOf<Methods['removeManifest']>,
    context: CommandContext,
  ): Promise<OutputOf<Methods['removeManifest']>> {
    return { stored: await this.manifests.remove(clusterId, folder, fileName, context) };
  }
}

const entryOf = ({ folder, fileName, source }: Manifest) => ({ folder, fileName, source });
