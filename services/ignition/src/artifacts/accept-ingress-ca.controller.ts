import { IgnitionService } from '@muster/contracts';
import { clusterDecider } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf, EVENT_STORE, type MusterEventStore } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { foldStream } from '../streams/fold-stream';
import { withCertificateAuthority } from '../toolchain/kubeconfig';
import { ArtifactVault } from './artifact-vault';
import { Artifacts } from './artifacts';
import { parseCertificateBundle } from './certificate-bundle';

type Method = typeof IgnitionService.method.acceptIngressCa;

@Controller()
export class AcceptIngressCaController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
  ) {}

  /** 1. The state of the cluster permits it. 2. The first certificate wins. 3. The kubeconfig is sealed. 4. The event is stored. */
  @Handles(IgnitionService.method.acceptIngressCa)
  async handle(
    @Payload() { clusterId, caBundlePem }: InputOf<Method>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<Method>> {
    await this.refuseOtherStatuses(clusterId);
    const { state, position, revision } = await this.artifacts.of.load(clusterId);
    if (state.kubeconfig) return { stored: { position, revision } };
    const pem = parseCertificateBundle(Buffer.from(caBundlePem, 'base64'));
    const noIngress = state.artifacts.find(({ name }) => name === 'kubeconfig-noingress');
    const kubeconfig = noIngress && (await this.vault.read(clusterId, state.attempt, noIngress));
    if (!kubeconfig) {
      throw new RefusalError({
        code: 'not-ready',
        reason: `Cluster ${clusterId} has no kubeconfig-noingress to add the ingress CA to.`,
        subject: 'cluster_id',
      });
    }
    const content = Buffer.from(withCertificateAuthority(kubeconfig.toString(), pem));
    const artifact = await this.vault.store(clusterId, state.attempt, { name: 'kubeconfig', content, isSecret: true });
    const command = { type: 'AcceptIngressCa', clusterId, kubeconfig: artifact } as const;
    return { stored: await this.artifacts.of.execute(clusterId, command, context) };
  }

  /** The decision table of the cluster says whether an ingress certificate may still complete it. */
  private async refuseOtherStatuses(clusterId: string): Promise<void> {
    const { state } = await foldStream(this.eventStore, 'cluster', clusterId, clusterDecider);
    const decision = clusterDecider.decide({ type: 'CompleteKubeconfig', at: '' }, state);
    if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
  }
}
