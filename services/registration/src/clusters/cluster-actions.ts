import { RefusalError } from '@muster/problems';
import { chooseBootstrap, type ClusterCommand, type HostCommand, summarizeMembers } from '@muster/domain';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { ReactionTracker } from '../view/reaction-tracker';
import { RegistrationView } from '../view/registration-view';
import { REASONS } from './propagation';

/**
 * Actions on a cluster that its hosts follow. Only the cluster's event is stored here: the reactions to it bring the hosts
 * along, after a restart of the service, too. The reply waits for them within a bound.
 */
@Injectable()
export class ClusterActions {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly reactions: ReactionTracker,
  ) {}

  /** @throws RefusalError when the cluster is not ready. */
  async install(clusterId: string, context: CommandContext): Promise<Stored> {
    const hosts = this.view.hostsOf(clusterId);
    const command = {
      type: 'Install',
      at: this.aggregates.now(),
      hosts: summarizeMembers(hosts),
      bootstrapHostId: chooseBootstrap(hosts.map(({ state }) => state)),
    } as const;
    return this.handle(
      clusterId,
      command,
      hosts.map(({ key }) => `host:${key}`),
      context,
    );
  }

  /** @throws RefusalError `host-refuses` when one host could not follow; nothing is stored then. */
  async cancel(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const cancel = { type: 'CancelInstallation', at, reason: REASONS.cancelled } as const;
    const refusingHosts = await this.hostsRefusing(clusterId, cancel);
    return this.propagate(clusterId, { type: 'CancelInstallation', at, refusingHosts }, context);
  }

  /** @throws RefusalError `host-refuses` when one host could not follow; nothing is stored then. */
  async reset(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const reset = { type: 'RequireReset', at, reason: REASONS.reset, scope: 'cluster' } as const;
    const refusingHosts = await this.hostsRefusing(clusterId, reset);
    return this.propagate(clusterId, { type: 'Reset', at, refusingHosts }, context);
  }

  async deregister(clusterId: string, context: CommandContext): Promise<Stored> {
    return this.propagate(clusterId, { type: 'Deregister', at: this.aggregates.now() }, context);
  }

  private propagate(clusterId: string, command: ClusterCommand, context: CommandContext): Promise<Stored> {
    return this.handle(clusterId, command, [`follow:${clusterId}`], context);
  }

  private async handle(
    clusterId: string,
    command: ClusterCommand,
    reactionKeys: readonly string[],
    context: CommandContext,
  ): Promise<Stored> {
    const result = await this.aggregates.clusters.handle(clusterId, command, context);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    const stored = { position: result.position, revision: result.revision };
    // A repeated command has no event of its own to wait for.
    if (result.events.length === 0) return stored;
    return { ...stored, position: await this.reactions.after(reactionKeys, stored.position) };
  }

  /** Names of the hosts that would refuse the command. */
  private async hostsRefusing(clusterId: string, command: HostCommand): Promise<string[]> {
    const refusing = await Promise.all(
      this.view.hostsOf(clusterId).map(async ({ key, state }) => {
        if (await this.aggregates.hosts.wouldAccept(key, command)) return [];
        return [`${state.requestedHostname || state.hostId} (${state.status})`];
      }),
    );
    return refusing.flat();
  }
}
