import type { HostKey } from '@muster/contracts';
import type { HostCommand } from '@muster/domain';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from './registration-view';

/** What happened to a cluster that its hosts have to follow. */
export interface ClusterOrder {
  readonly kind: 'cancelled' | 'reset' | 'deregistered';
  /** Id of the command that caused it: each host's command is derived from it, so that following twice changes nothing. */
  readonly commandId: string;
  readonly at: string;
}

export const REASONS = {
  cancelled: 'The installation was cancelled',
  reset: 'The cluster was reset',
} as const;

/** Cluster and hosts are separate streams: the cluster's fact comes first, its hosts follow, after a crash too. */
@Injectable()
export class FollowUp {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  async follow(clusterId: string, order: ClusterOrder): Promise<void> {
    for (const { key, state } of this.view.hostsOf(clusterId)) {
      // Who registered after the order was not meant by it.
      if (state.registeredAt > order.at) continue;
      await this.aggregates.hosts.handle(key, this.commandFor(clusterId, key, order), {
        ...this.aggregates.ownContext(order.commandId),
        commandId: `${order.commandId}/${key}`,
      });
    }
    if (order.kind === 'deregistered') await this.platform.secrets.shred(clusterId);
  }

  private commandFor(clusterId: string, key: HostKey, { kind, at }: ClusterOrder): HostCommand {
    switch (kind) {
      case 'cancelled':
        return { type: 'CancelInstallation', at, reason: REASONS.cancelled };
      case 'reset':
        return { type: 'RequireReset', at, reason: REASONS.reset, scope: 'cluster' };
      case 'deregistered':
        return this.belongsToInfraEnvOf(clusterId, key)
          ? { type: 'Deregister', at }
          : { type: 'Unbind', at, byPerson: false };
    }
  }

  /** Hosts of the cluster's own infra-envs go with it; late-bound ones go back to their pool. */
  private belongsToInfraEnvOf(clusterId: string, key: HostKey): boolean {
    const infraEnvId = this.view.host(key)?.state.infraEnvId ?? '';
    return this.view.infraEnv(infraEnvId)?.settings.clusterId === clusterId;
  }
}
