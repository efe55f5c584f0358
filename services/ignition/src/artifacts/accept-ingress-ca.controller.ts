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
const ACCEPTING_STATUSES: readonly string[] = ['finalizing', 'installed'];

@Controller()
export class AcceptIngressCaController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
  ) {}

  /** 1. the state allows it, 2. the first certificate wins, 3. the kubeconfig is sealed, 4. the fact is stored. */
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
        reason: `Cluster ${clusterId} has no kubeconfig-noingress that the certificate could be added to.`,
        subject: 'cluster_id',
      });
    }
    const content = Buffer.from(withCertificateAuthority(kubeconfig.toString(), pem));
    const artifact = await this.vault.store(clusterId, state.attempt, { name: 'kubeconfig', content, isSecret: true });
    const command = { type: 'AcceptIngressCa', clusterId, kubeconfig: artifact } as const;
    return { stored: await this.artifacts.of.execute(clusterId, command, context) };
  }

  private async refuseOtherStatuses(clusterId: string): Promise<void> {
    const { state } = await foldStream(this.eventStore, 'cluster', clusterId, clusterDecider);
    if (ACCEPTING_STATUSES.includes(state.status)) return;
    const isKnown = state.status !== 'unregistered' && state.status !== 'deregistered';
    throw new RefusalError({
      code: isKnown ? 'invalid-input' : 'not-found',
      reason: isKnown
        ? `Cluster ${clusterId} is ${state.status}: an ingress certificate is taken while it is finalizing or installed.`
        : `There is no cluster ${clusterId.slice(0, 64)}.`,
      subject: 'cluster_id',
    });
  }
}
