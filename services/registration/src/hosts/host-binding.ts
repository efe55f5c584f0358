import { hostKeyOf, type RegistrationService } from '@muster/contracts';
import { hostFeatureRefusal } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { type Stored, storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { clusterAdmissionRefusal } from './cluster-admission';

/** Hosts of the pool and clusters find each other, and part again. */
@Injectable()
export class HostBinding {
  constructor(private readonly aggregates: Aggregates) {}

  async bind(
    { infraEnvId, hostId, clusterId }: InputOf<typeof RegistrationService.method.bindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { state: cluster } = await this.aggregates.clusters.load(clusterId);
    const refusal = clusterAdmissionRefusal(cluster, clusterId);
    // The cluster is part of what was sent, not what was asked for.
    if (refusal) throw new RefusalError(refusal.code === 'not-found' ? { ...refusal, code: 'invalid-input' } : refusal);
    await this.refuseOtherArchitecture(infraEnvId, cluster.settings.cpuArchitecture ?? '');
    const key = hostKeyOf(infraEnvId, hostId);
    const { role, settings } = (await this.aggregates.hosts.load(key)).state;
    const choice = { role, hasFencingCredentials: settings.fencingCredentialsSet ?? false };
    const withoutUse = hostFeatureRefusal(choice, cluster);
    if (withoutUse) throw new RefusalError({ ...withoutUse, subject: 'cluster_id' });
    const command = { type: 'Bind', at: this.aggregates.now(), clusterId } as const;
    return storedOrThrow(await this.aggregates.hosts.handle(key, command, context));
  }

  async unbind(
    { infraEnvId, hostId }: InputOf<typeof RegistrationService.method.unbindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { settings } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    if (settings.clusterId) {
      throw new RefusalError({
        code: 'not-allowed-in-state',
        reason: 'The image of this host belongs to its cluster, so the host cannot leave it; remove the host instead.',
        subject: 'infra_env_id',
      });
    }
    const command = { type: 'Unbind', at: this.aggregates.now(), byPerson: true } as const;
    return storedOrThrow(await this.aggregates.hosts.handle(hostKeyOf(infraEnvId, hostId), command, context));
  }

  private async refuseOtherArchitecture(infraEnvId: string, ofCluster: string): Promise<void> {
    const { settings } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    const ofHost = settings.cpuArchitecture ?? '';
    if (!ofHost || !ofCluster || ofCluster === 'multi' || sameName(ofHost) === sameName(ofCluster)) return;
    throw new RefusalError({
      code: 'invalid-input',
      reason: `The host is a machine of architecture ${ofHost}, and the cluster takes ${ofCluster} only.`,
      subject: 'cluster_id',
      allowed: [ofCluster],
    });
  }
}

/** Two names for one architecture are in use. */
const sameName = (architecture: string): string => (architecture === 'aarch64' ? 'arm64' : architecture);
