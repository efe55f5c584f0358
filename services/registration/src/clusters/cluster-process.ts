import { CLUSTER_DEADLINES, clusterFollowUps, clusterPermits, type ClusterSurroundings } from '@muster/domain';
import {
  clusterBlockingIds,
  completeClusterOutcomes,
  conditionsWithoutHosts,
  EVALUATED_CLUSTER_STATUSES,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';
import type { ClusterEntry } from '../view/view-entries';
import { RoleSuggestions } from './role-suggestions';

/** Reacts to changes around one cluster: of its hosts, its outcomes and its artifacts. */
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

/** Conditions that were never recorded follow from the settings. */
function conditionsOf({ state, conditions, outcomes }: ClusterEntry): ClusterSurroundings['conditions'] {
  if (!EVALUATED_CLUSTER_STATUSES.includes(state.status)) return undefined;
  const settings = toClusterSettingsFacts(state);
  return {
    ...(conditions ?? conditionsWithoutHosts(settings)),
    ...clusterBlockingIds(completeClusterOutcomes(outcomes), settings.ignoredClusterRules),
  };
}
