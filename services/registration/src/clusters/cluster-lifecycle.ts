import { type ClusterCommand, hostDecider, type HostCommand } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { type ClusterOrder, FollowUp, REASONS } from '../process/follow-up';
import { RegistrationView } from '../process/registration-view';

type Stored = { readonly position: number; readonly revision: number };

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
    const refusingHosts = await this.hostsRefusing(clusterId, {
      type: 'CancelInstallation',
      at,
      reason: REASONS.cancelled,
    });
    return this.order(
      clusterId,
      { type: 'CancelInstallation', at, refusingHosts },
      { kind: 'cancelled', commandId: context.commandId, at },
      context,
    );
  }

  async reset(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const refusingHosts = await this.hostsRefusing(clusterId, {
      type: 'RequireReset',
      at,
      reason: REASONS.reset,
      scope: 'cluster',
    });
    return this.order(
      clusterId,
      { type: 'Reset', at, refusingHosts },
      { kind: 'reset', commandId: context.commandId, at },
      context,
    );
  }

  async deregister(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    return this.order(
      clusterId,
      { type: 'Deregister', at },
      { kind: 'deregistered', commandId: context.commandId, at },
      context,
    );
  }

  private async order(
    clusterId: string,
    command: ClusterCommand,
    order: ClusterOrder,
    context: CommandContext,
  ): Promise<Stored> {
    const stored = storedOrThrow(await this.aggregates.clusters.handle(clusterId, command, context));
    await this.followUp.follow(clusterId, order);
    return stored;
  }

  private async hostsRefusing(clusterId: string, command: HostCommand): Promise<string[]> {
    const refusing: string[] = [];
    for (const { key } of this.view.hostsOf(clusterId)) {
      const { state } = await this.aggregates.hosts.load(key);
      if (hostDecider.decide(command, state).kind === 'refused')
        refusing.push(`${state.requestedHostname || state.hostId} (${state.status})`);
    }
    return refusing;
  }
}
