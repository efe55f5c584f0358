import type { ClusterCommand, HostCommand } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type Stored, storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { type PropagatedCommand, FollowUp, REASONS } from './propagation';
import { RegistrationView } from '../view/registration-view';

/** Orders that a cluster's hosts follow: refused as a whole when one host could not. */
@Injectable()
export class ClusterLifecycle {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly followUp: FollowUp,
  ) {}

  async cancel(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const cancel = { type: 'CancelInstallation', at, reason: REASONS.cancelled } as const;
    const refusingHosts = await this.hostsRefusing(clusterId, cancel);
    return this.order(clusterId, { type: 'CancelInstallation', at, refusingHosts }, 'cancelled', context);
  }

  async reset(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const reset = { type: 'RequireReset', at, reason: REASONS.reset, scope: 'cluster' } as const;
    const refusingHosts = await this.hostsRefusing(clusterId, reset);
    return this.order(clusterId, { type: 'Reset', at, refusingHosts }, 'reset', context);
  }

  async deregister(clusterId: string, context: CommandContext): Promise<Stored> {
    return this.order(clusterId, { type: 'Deregister', at: this.aggregates.now() }, 'deregistered', context);
  }

  /** The hosts have followed when this resolves, unless the service stops in between: then they follow when it is back. */
  private async order(
    clusterId: string,
    command: ClusterCommand,
    kind: PropagatedCommand['kind'],
    context: CommandContext,
  ): Promise<Stored> {
    const stored = storedOrThrow(await this.aggregates.clusters.handle(clusterId, command, context));
    const { commandId, correlationId } = context;
    await this.followUp.follow(clusterId, { kind, commandId, correlationId, at: command.at });
    return stored;
  }

  private async hostsRefusing(clusterId: string, command: HostCommand): Promise<string[]> {
    const refusing = await Promise.all(
      this.view.hostsOf(clusterId).map(async ({ key, state }) => {
        if (await this.aggregates.hosts.accepts(key, command)) return [];
        return [`${state.requestedHostname || state.hostId} (${state.status})`];
      }),
    );
    return refusing.flat();
  }
}
