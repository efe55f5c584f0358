import { chooseBootstrap } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type Stored, storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { ClusterProcess } from './cluster-process';
import { RegistrationView } from '../view/registration-view';
import { RoleProcess } from './role-process';

/** The click on "install". */
@Injectable()
export class ClusterInstallation {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly clusters: ClusterProcess,
    private readonly roles: RoleProcess,
  ) {}

  /** 1. A click that is going to be refused changes nothing. 2. Automatic roles become assigned ones. 3. The cluster starts to prepare. 4. Its bootstrap host learns that it is. */
  async start(clusterId: string, context: CommandContext): Promise<Stored> {
    const hosts = this.view.hostsOf(clusterId);
    const bootstrapHostId = chooseBootstrap(hosts.map(({ state }) => state));
    const install = {
      type: 'Install',
      at: this.aggregates.now(),
      hosts: this.clusters.summary(hosts),
      bootstrapHostId,
    } as const;
    if (await this.aggregates.clusters.accepts(clusterId, install)) await this.roles.assignSuggested(hosts, context);
    const stored = storedOrThrow(await this.aggregates.clusters.handle(clusterId, install, context));
    const bootstrap = hosts.find(({ state }) => state.hostId === bootstrapHostId);
    if (bootstrap && !bootstrap.state.isBootstrap) {
      const ownContext = { ...context, commandId: `${context.commandId}/bootstrap` };
      await this.aggregates.hosts.handle(bootstrap.key, { type: 'ChooseBootstrap', at: install.at }, ownContext);
    }
    return stored;
  }
}
