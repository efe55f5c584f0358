import type { HostKey } from '@muster/contracts';
import {
  chooseBootstrap,
  type ClusterCommand,
  type ClusterState,
  type HostAction,
  type HostCommand,
  hostPermits,
  summarizeMembers,
} from '@muster/domain';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { ClusterProcess, RoleSuggestions } from './cluster-process';
import { ReactionTracker } from '../reactions/reaction-keys';
import { RegistrationView } from '../view/registration-view';
import type { MemberEntry, PropagatedCommand } from '../view/view-entries';

export const REASONS = {
  cancelled: 'The installation was cancelled',
  reset: 'The cluster was reset',
} as const;

/** Propagates a command on a cluster to its hosts, whose events are in streams of their own. */
@Injectable()
export class Propagation {
  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /**
   * Sends the command to all hosts concurrently. Returns the position of the last stored event, or 0.
   * @throws the first failure, after the command was sent to every host
   */
  async follow(clusterId: string, command: PropagatedCommand): Promise<number> {
    const asked: Promise<number>[] = this.view
      .hostsOf(clusterId)
      .filter((host) => appliesTo(host, command))
      .map((host) => this.command(clusterId, host, command));
    if (command.kind === 'deregistered') asked.push(this.secrets.shred(clusterId).then(() => 0));
    const results = await Promise.allSettled(asked);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return Math.max(0, ...results.map((result) => (result.status === 'fulfilled' ? result.value : 0)));
  }

  /** A refusal is not an error: the command does not apply to the present status of the host. */
  private async command(clusterId: string, host: MemberEntry, command: PropagatedCommand): Promise<number> {
    const { commandId, position, correlationId } = command;
    const result = await this.aggregates.hosts.handle(host.key, this.commandFor(clusterId, host.key, command), {
      ...this.aggregates.ownContext({ cause: { correlationId }, state: host.state }),
      commandId: `${commandId}/${host.key}`,
      unusedUpTo: position,
    });
    return result.kind === 'stored' ? result.position : 0;
  }

  private commandFor(clusterId: string, key: HostKey, { kind, at }: PropagatedCommand): HostCommand {
    switch (kind) {
      case 'cancelled':
        return { type: 'CancelInstallation', at, reason: REASONS.cancelled };
      case 'reset':
        return { type: 'RequireReset', at, reason: REASONS.reset, scope: 'cluster' };
      case 'deregistered':
        return this.belongsToInfraEnvOf(clusterId, key)
          ? { type: 'Deregister', at }
          : { type: 'Unbind', at, byUser: false };
    }
  }

  /** Hosts of infra-envs that belong to the cluster are removed with it. Hosts that were bound later are unbound. */
  private belongsToInfraEnvOf(clusterId: string, key: HostKey): boolean {
    const infraEnvId = this.view.host(key)?.state.infraEnvId ?? '';
    return this.view.infraEnv(infraEnvId)?.state.settings.clusterId === clusterId;
  }
}

/** The command does not affect a host that registered after it. Only the deletion of a cluster applies to all hosts. */
const appliesTo = ({ registeredPosition }: MemberEntry, { kind, position }: PropagatedCommand): boolean =>
  kind === 'deregistered' || registeredPosition <= position;

/**
 * Actions on a cluster that are propagated to its hosts. This class stores only the event of the cluster. The reactions
 * to the event send the commands to the hosts, also after a restart of the service. The reply waits for the reactions
 * up to a time limit.
 */
@Injectable()
export class ClusterActions {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly reactions: ReactionTracker,
    private readonly process: ClusterProcess,
    private readonly roles: RoleSuggestions,
  ) {}

  /** @throws RefusalError when the cluster is not ready. */
  async install(clusterId: string, context: CommandContext): Promise<Stored> {
    const entry = this.view.cluster(clusterId);
    // Every host needs a role to be installed, also when the service does not suggest roles before.
    const suggestedAt = entry ? await this.roles.suggest(entry) : 0;
    const { state: evaluated } = await this.aggregates.clusters.load(clusterId);
    await this.process.settled(clusterId, suggestedAt);
    const hosts = this.view.countedHostsOf(clusterId);
    const command = {
      type: 'Install',
      at: this.aggregates.now(),
      hosts: summarizeMembers(hosts),
      bootstrapHostId: chooseBootstrap(hosts.map(({ state }) => state)),
    } as const;
    let isRevised = false;
    // A revision that was being stored is evaluated before its settings are installed.
    const commands = (current: () => ClusterState): readonly ClusterCommand[] => {
      isRevised = evaluated.inputsRevision !== current().inputsRevision;
      return isRevised ? [] : [command];
    };
    const reactionKeys = hosts.map(({ key }) => `host:${key}`);
    const stored = await this.handle(clusterId, commands, reactionKeys, context);
    return isRevised ? this.install(clusterId, context) : stored;
  }

  /** @throws RefusalError `host-refuses` when the status of one host does not permit it; then nothing is stored */
  async cancel(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const refusingHosts = this.hostsRefusing(clusterId, 'cancel-installation');
    return this.propagate(clusterId, { type: 'CancelInstallation', at, refusingHosts }, context);
  }

  /** @throws RefusalError `host-refuses` when the status of one host does not permit it; then nothing is stored */
  async reset(clusterId: string, context: CommandContext): Promise<Stored> {
    const at = this.aggregates.now();
    const refusingHosts = this.hostsRefusing(clusterId, 'reset');
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
    commands: Parameters<Aggregates['clusters']['handle']>[1],
    reactionKeys: readonly string[],
    context: CommandContext,
  ): Promise<Stored> {
    const result = await this.aggregates.clusters.handle(clusterId, commands, context);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    const stored = { position: result.position, revision: result.revision };
    // A repeated command has no event of its own to wait for.
    if (result.events.length === 0) return stored;
    return { ...stored, position: await this.reactions.after(reactionKeys, stored.position) };
  }

  /** Names of the hosts whose status does not permit the action. */
  private hostsRefusing(clusterId: string, action: HostAction): string[] {
    return this.view
      .countedHostsOf(clusterId)
      .filter(({ state }) => !hostPermits(action, state.status))
      .map(({ state }) => `${state.requestedHostname || state.hostId} (${state.status})`);
  }
}
