import { suggestRoles, weighHosts } from '@muster/domain';
import { toClusterSettingsFacts } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import type { ClusterEntry, HostEntry } from '../view/view-entries';

/** Suggests roles for hosts of role auto-assign while the installation has not started. */
@Injectable()
export class RoleSuggestions {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
  ) {}

  async suggest(cluster: ClusterEntry, hosts: readonly HostEntry[]): Promise<void> {
    if (!this.config.autoAssignsRoles || !hosts.some(({ state }) => state.role === 'auto-assign')) return;
    // A host without an inventory might fit a role better than the others.
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
}
