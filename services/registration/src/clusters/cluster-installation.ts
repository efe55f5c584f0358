import { chooseBootstrap } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { ClusterProcess } from '../process/cluster-process';
import { RegistrationView } from '../process/registration-view';
import { RoleProcess } from '../process/role-process';

/** The click on "install": 1. automatic roles become assigned ones, 2. a bootstrap is chosen, 3. the cluster starts to prepare. */
@Injectable()
export class ClusterInstallation {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly clusters: ClusterProcess,
    private readonly roles: RoleProcess,
  ) {}

  async start(
    clusterId: string,
    context: CommandContext,
  ): Promise<{ readonly position: number; readonly revision: number }> {
    const { state } = await this.aggregates.clusters.load(clusterId);
    // Roles are fixed only for an installation that starts: a refused click must leave everything as it was.
    if (state.status === 'ready') await this.roles.assignSuggested(clusterId, context);
    const hosts = this.view.hostsOf(clusterId);
    const bootstrapHostId = chooseBootstrap(hosts.map(({ state: host }) => host));
    const at = this.aggregates.now();
    const result = await this.aggregates.clusters.handle(
      clusterId,
      { type: 'Install', at, hosts: this.clusters.summary(hosts), bootstrapHostId },
      context,
    );
    const stored = storedOrThrow(result);
    const bootstrap = hosts.find((host) => host.state.hostId === bootstrapHostId);
    if (bootstrap && !bootstrap.state.isBootstrap) {
      await this.aggregates.hosts.handle(
        bootstrap.key,
        { type: 'ChooseBootstrap', at },
        { ...context, commandId: `${context.commandId}/bootstrap` },
      );
    }
    return stored;
  }
}
