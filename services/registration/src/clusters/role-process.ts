import { suggestRoles, weighHosts } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { toClusterSettingsFacts } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import type { ClusterEntry, HostEntry } from '../view/registration-view';

/** Automatic roles: suggested while a cluster is open, assigned when its installation starts. */
@Injectable()
export class RoleProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
  ) {}

  async suggest(cluster: ClusterEntry, hosts: readonly HostEntry[]): Promise<void> {
    if (!this.config.autoAssignsRoles || !hosts.some(({ state }) => state.role === 'auto-assign')) return;
    // One that was not inspected yet might be the better choice; so nothing is weighed before.
    if (hosts.some(({ hardware }) => !hardware)) return;
    const byId = new Map(hosts.map((host) => [host.state.hostId, host]));
    const settings = toClusterSettingsFacts(cluster.state);
    const weighed = hosts.map(({ state: { hostId, status, role, suggestedRole, installationDisk }, hardware }) => {
      return { hostId, status, role, suggestedRole, hardware, installationDiskId: installationDisk.id };
    });
    const at = this.aggregates.now();
    const suggestions = suggestRoles(weighHosts(weighed, settings, this.config), settings.controlPlaneCount);
    await Promise.all(
      suggestions.map(async ({ hostId, role }) => {
        const host = byId.get(hostId);
        if (!host) return;
        const context = this.aggregates.ownContext(host);
        await this.aggregates.hosts.handle(host.key, { type: 'SuggestRole', at, role }, context);
      }),
    );
  }

  /** What was suggested becomes assigned. */
  async assignSuggested(hosts: readonly HostEntry[], context: CommandContext): Promise<void> {
    const at = this.aggregates.now();
    await Promise.all(
      hosts.map(async ({ key, state: { role, suggestedRole } }) => {
        if (role !== 'auto-assign' || !suggestedRole) return;
        const ownContext = { ...context, commandId: `${context.commandId}/role/${key}` };
        await this.aggregates.hosts.handle(key, { type: 'AssignRole', at, role: suggestedRole }, ownContext);
      }),
    );
  }
}
