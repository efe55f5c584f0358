import { IgnitionService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ARTIFACT_NAMES, isArtifactName } from './artifact-names';
import { ArtifactVault } from './artifact-vault';
import { Artifacts } from './artifacts';
import { JoiningHosts } from './joining-hosts';

type Method = typeof IgnitionService.method.readArtifact;

@Controller()
export class ReadArtifactController {
  constructor(
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
    private readonly joining: JoiningHosts,
  ) {}

  @Handles(IgnitionService.method.readArtifact)
  async handle(@Payload() { clusterId, name }: InputOf<Method>): Promise<OutputOf<Method>> {
    if (!isArtifactName(name)) {
      throw new RefusalError({
        code: 'not-found',
        reason: `File '${name.slice(0, 64)}' does not exist.`,
        subject: 'file_name',
        allowed: [...ARTIFACT_NAMES, '<role>-<host id>.ign'],
      });
    }
    const joining = await this.joining.render(clusterId, name);
    if (joining) return { content: joining.toString('base64') };
    const { state } = await this.artifacts.of.load(clusterId);
    const { artifacts, kubeconfig } = state;
    const artifact = [...artifacts, ...(kubeconfig ? [kubeconfig] : [])].find((known) => known.name === name);
    const content = artifact && (await this.vault.read(clusterId, state.attempt, artifact));
    if (!content) throw new RefusalError({ code: 'not-ready', reason: notReady(name), subject: 'file_name' });
    return { content: content.toString('base64') };
  }
}

const notReady = (name: string): string =>
  name === 'kubeconfig'
    ? 'kubeconfig is complete once the new cluster has sent its ingress certificate; until then use kubeconfig-noingress.'
    : `${name} does not exist for this cluster now: files are made when an installation is prepared, for the hosts it has then.`;
