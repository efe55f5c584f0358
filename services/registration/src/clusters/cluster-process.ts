import {
  CLUSTER_DEADLINES,
  clusterFollowUps,
  clusterPermits,
  type ClusterSurroundings,
  suggestRoles,
  toRoleCandidates,
} from '@muster/domain';
import {
  clusterBlockingIds,
  completeClusterOutcomes,
  conditionsWithoutHosts,
  EVALUATED_CLUSTER_STATUSES,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';
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
    // A host without an inventory may fit a role better than the others.
    if (hosts.some(({ hardware }) => !hardware)) return;
    const byId = new Map(hosts.map((host) => [host.state.hostId, host]));
    const settings = toClusterSettingsFacts(cluster.state);
    const weighed = hosts.map(({ state: { hostId, status, role, suggestedRole, installationDisk }, hardware }) => {
      return { hostId, status, role, suggestedRole, hardware, installationDiskId: installationDisk.id };
    });
    const at = this.aggregates.now();
    const suggestions = suggestRoles(toRoleCandidates(weighed, settings, this.config), settings.controlPlaneCount);
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

/** Reacts to changes that concern a cluster: of its hosts, its outcomes and its artifacts. */
@Injectable()
export class ClusterProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly roles: RoleSuggestions,
  ) {}

  /** Returns the position of the last event stored, or 0. */
  async react(clusterId: string): Promise<number> {
    const entry = this.view.cluster(clusterId);
    if (!entry || entry.state.status === 'deregistered') return 0;
    const hosts = this.view.hostsOf(clusterId);
    if (clusterPermits('suggest-roles', entry.state.status)) await this.roles.suggest(entry, hosts);
    let position = 0;
    for (const command of clusterFollowUps(
      entry.state,
      { ...entry, conditions: conditionsOf(entry), hosts },
      this.aggregates.now(),
    )) {
      const result = await this.aggregates.clusters.handle(clusterId, command, this.aggregates.ownContext(entry));
      if (result.kind === 'stored') position = Math.max(position, result.position);
    }
    return position;
  }

  async passDeadline(clusterId: string, name: string): Promise<void> {
    const deadline = CLUSTER_DEADLINES.find((known) => known === name);
    if (!deadline) return;
    const command = {
      type: 'PassDeadline',
      at: this.aggregates.now(),
      deadline,
      softTimeouts: this.config.softTimeouts,
    } as const;
    await this.aggregates.clusters.handle(clusterId, command, this.aggregates.ownContext(this.view.cluster(clusterId)));
  }
}

/** Conditions that were never recorded are derived from the settings. */
export function conditionsOf({
  state,
  conditions,
  outcomes,
}: Pick<ClusterEntry, 'state' | 'conditions' | 'outcomes'>): ClusterSurroundings['conditions'] {
  if (!EVALUATED_CLUSTER_STATUSES.includes(state.status)) return undefined;
  const settings = toClusterSettingsFacts(state);
  return {
    ...(conditions ?? conditionsWithoutHosts(settings)),
    ...clusterBlockingIds(completeClusterOutcomes(outcomes), settings.ignoredClusterRules),
  };
}
