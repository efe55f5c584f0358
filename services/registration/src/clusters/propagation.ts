import type { HostKey } from '@muster/contracts';
import type { HostCommand } from '@muster/domain';
import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from '../view/registration-view';
import type { HostEntry, PropagatedCommand } from '../view/view-entries';

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
   * Sends the command to all hosts at the same time. Returns the position of the last event stored, or 0.
   * @throws the first failure, after every host was asked.
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

  /** A refusal is not an error: the command does not apply to the host in its present status. */
  private async command(clusterId: string, host: HostEntry, command: PropagatedCommand): Promise<number> {
    const { commandId, correlationId } = command;
    const result = await this.aggregates.hosts.handle(host.key, this.commandFor(clusterId, host.key, command), {
      ...this.aggregates.ownContext({ cause: { correlationId }, state: host.state }),
      commandId: `${commandId}/${host.key}`,
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
          : { type: 'Unbind', at, byPerson: false };
    }
  }

  /** Hosts of the cluster's own infra-envs are removed with it. Hosts that were bound later return to their pool. */
  private belongsToInfraEnvOf(clusterId: string, key: HostKey): boolean {
    const infraEnvId = this.view.host(key)?.state.infraEnvId ?? '';
    return this.view.infraEnv(infraEnvId)?.settings.clusterId === clusterId;
  }
}

/** A host that registered after the command is not affected, except that no host stays in a deleted cluster. */
const appliesTo = ({ state }: HostEntry, { kind, at }: PropagatedCommand): boolean =>
  kind === 'deregistered' || state.registeredAt <= at;
