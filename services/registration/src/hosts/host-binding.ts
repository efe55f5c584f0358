import { hostKeyOf, type RegistrationService } from '@muster/contracts';
import { architectureRefusal, clusterAdmissionRefusal, hostFeatureRefusal } from '@muster/domain';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';

/** Binds hosts of the pool to clusters and returns them to the pool. */
@Injectable()
export class HostBinding {
  constructor(private readonly aggregates: Aggregates) {}

  async bind(
    { infraEnvId, hostId, clusterId }: InputOf<typeof RegistrationService.method.bindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { state: cluster } = await this.aggregates.clusters.load(clusterId);
    const refusal = clusterAdmissionRefusal(cluster, clusterId);
    // The cluster id is an input here, not the resource of the request.
    if (refusal) throw new RefusalError(refusal.code === 'not-found' ? { ...refusal, code: 'invalid-input' } : refusal);
    const { settings: ofImage } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    const mismatch = architectureRefusal(ofImage.cpuArchitecture ?? '', cluster.settings.cpuArchitecture ?? '');
    if (mismatch) throw new RefusalError(mismatch);
    const key = hostKeyOf(infraEnvId, hostId);
    const { role, settings } = (await this.aggregates.hosts.load(key)).state;
    const choice = { role, hasFencingCredentials: settings.fencingCredentialsSet ?? false };
    const unsupported = hostFeatureRefusal(choice, cluster);
    if (unsupported) throw new RefusalError({ ...unsupported, subject: 'cluster_id' });
    const command = { type: 'Bind', at: this.aggregates.now(), clusterId } as const;
    return this.aggregates.hosts.execute(key, command, context);
  }

  async unbind(
    { infraEnvId, hostId }: InputOf<typeof RegistrationService.method.unbindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { settings } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    if (settings.clusterId) {
      throw new RefusalError({
        code: 'not-allowed-in-state',
        reason:
          'The infra-env of this host is bound to the cluster, so the host cannot be unbound. Remove the host instead.',
        subject: 'infra_env_id',
      });
    }
    const command = { type: 'Unbind', at: this.aggregates.now(), byPerson: true } as const;
    return this.aggregates.hosts.execute(hostKeyOf(infraEnvId, hostId), command, context);
  }
}
