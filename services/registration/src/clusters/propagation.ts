import type { HostKey } from '@muster/contracts';
import type { HostCommand } from '@muster/domain';
import { SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { type HostEntry, RegistrationView } from '../view/registration-view';

/** What happened to a cluster that its hosts have to follow. */
export interface PropagatedCommand {
  readonly kind: 'cancelled' | 'reset' | 'deregistered';
  /** Id of the command that caused it: each host's command is derived from it, so that following twice changes nothing. */
  readonly commandId: string;
  readonly correlationId: string;
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
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /** Hosts do not wait for each other; throws the first failure once all have been asked. */
  async follow(clusterId: string, order: PropagatedCommand): Promise<void> {
    const asked = this.view
      .hostsOf(clusterId)
      .filter((host) => isMeant(host, order))
      .map((host) => this.command(clusterId, host, order));
    if (order.kind === 'deregistered') asked.push(this.secrets.shred(clusterId));
    const failed = (await Promise.allSettled(asked)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** A refusal is fine: the host is where the order does not reach, and asked again when it moves in a cluster that is gone. */
  private async command(clusterId: string, host: HostEntry, order: PropagatedCommand): Promise<void> {
    const { commandId, correlationId } = order;
    await this.aggregates.hosts.handle(host.key, this.commandFor(clusterId, host.key, order), {
      ...this.aggregates.ownContext({ cause: { correlationId }, state: host.state }),
      commandId: `${commandId}/${host.key}`,
    });
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

  /** Hosts of the cluster's own infra-envs go with it; late-bound ones go back to their pool. */
  private belongsToInfraEnvOf(clusterId: string, key: HostKey): boolean {
    const infraEnvId = this.view.host(key)?.state.infraEnvId ?? '';
    return this.view.infraEnv(infraEnvId)?.settings.clusterId === clusterId;
  }
}

/** Who registered after the order was not meant by it; but nobody stays in a cluster that is gone. */
const isMeant = ({ state }: HostEntry, { kind, at }: PropagatedCommand): boolean =>
  kind === 'deregistered' || state.registeredAt <= at;
