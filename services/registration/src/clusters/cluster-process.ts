import { streamIdOf } from '@muster/contracts';
import {
  CLUSTER_DEADLINES,
  type ClusterCommand,
  clusterFollowUps,
  clusterPermits,
  type ClusterState,
  type ClusterSurroundings,
  OPEN_STATUSES,
  type SuggestedRole,
  suggestRoles,
  toRoleCandidates,
} from '@muster/domain';
import {
  clusterBlockingIds,
  clusterConditions,
  completeClusterOutcomes,
  outcomesWithoutHosts,
  EVALUATED_CLUSTER_STATUSES,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import type { RunAgain } from '@muster/event-sourcing';
import { ReactorHost } from '@muster/nest-kit';
import { keptByObject } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { Evaluations, isChange } from '../reactions/evaluations';
import { concernOf } from '../reactions/reaction-keys';
import { RegistrationView } from '../view/registration-view';
import type { ClusterEntry, MemberEntry } from '../view/view-entries';

/** The longest chain: settings, outcomes of hosts, their statuses, outcomes of the cluster, its status, suggested roles. */
const SETTLING_ROUNDS_MAX = 6;

/** Suggests roles for hosts of role auto-assign while the installation has not started. */
@Injectable()
export class RoleSuggestions {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /** Returns the position of the last event stored, or 0. */
  async suggest(cluster: ClusterEntry): Promise<number> {
    if (!clusterPermits('suggest-roles', cluster.state.status)) return 0;
    const hosts = this.view.hostsOf(cluster.id);
    const suggestions = suggestionsFor(hosts, cluster.state, this.config);
    if (suggestions.length === 0) return 0;
    const at = this.aggregates.now();
    const positions = suggestions.map(async ({ key, role }) => {
      const context = this.aggregates.ownContext(this.view.host(key));
      const result = await this.aggregates.hosts.handle(key, { type: 'SuggestRole', at, role }, context);
      return result.kind === 'stored' ? result.position : 0;
    });
    return Math.max(...(await Promise.all(positions)));
  }
}

/** The result is cached by the list of hosts, which is replaced only when one of them changes. */
const suggestionsFor = keptByObject(
  (hosts: readonly MemberEntry[], cluster: ClusterState, config: RegistrationConfig): readonly SuggestedRole[] => {
    if (!hosts.some(({ state }) => state.role === 'auto-assign')) return [];
    // A host without an inventory may fit a role better than the others.
    if (hosts.some(({ hardware }) => !hardware)) return [];
    const settings = toClusterSettingsFacts(cluster);
    return suggestRoles(toRoleCandidates(hosts, settings, config), settings.controlPlaneCount);
  },
);

/** Reacts to changes that concern a cluster: of its hosts, its outcomes and its artifacts. */
@Injectable()
export class ClusterProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly roles: RoleSuggestions,
    private readonly evaluations: Evaluations,
    private readonly reactor: ReactorHost,
  ) {}

  /** Returns the keys whose reactions have to come first when the status of the cluster depends on them. */
  async react(clusterId: string): Promise<RunAgain | undefined> {
    const entry = this.view.cluster(clusterId);
    if (!entry || entry.state.status === 'deregistered') return undefined;
    entry.awaitsHosts = false;
    if (this.config.autoAssignsRoles) await this.roles.suggest(entry);
    for (const command of this.followUps(entry))
      if (command.type !== 'Refresh') await this.handle(entry, command);
      else if (!isChange(this.aggregates.clusterDecider.decide(command, entry.state))) return undefined;
    return this.refresh(entry);
  }

  /** Stores a transition that rests on outcomes only when they include every event that they depend on. */
  private async refresh(entry: ClusterEntry): Promise<RunAgain | undefined> {
    if (OPEN_STATUSES.some((open) => open === entry.state.status)) {
      const first = this.hostReactions(entry);
      if (first) return first;
      entry.awaitsHosts = true;
      if (this.isAheadOfView(entry) || !(await this.evaluations.areCurrent(entry.id, entry))) return undefined;
      const others = this.hostReactions(entry);
      if (others) return others;
      if (this.isAheadOfView(entry)) return undefined;
      entry.awaitsHosts = false;
    } else if (entry.state.status === 'preparing-for-installation' && this.isAheadOfView(entry)) {
      // A host may have registered again. It is prepared again before the installation starts.
      entry.awaitsHosts = true;
      return undefined;
    }
    for (const command of this.followUps(entry)) if (command.type === 'Refresh') await this.handle(entry, command);
    return undefined;
  }

  /**
   * Returns the commands that follow from the present conditions. The caller confirms the conditions before it stores a
   * transition.
   */
  private followUps(entry: ClusterEntry): Iterable<ClusterCommand> {
    const { state } = entry;
    const hosts = this.view.countedHostsOf(entry.id);
    const surroundings = { ...entry, conditions: conditionsOf(entry), evaluatedRevision: state.inputsRevision };
    return clusterFollowUps(state, { ...surroundings, hosts }, this.aggregates.now());
  }

  private async handle(entry: ClusterEntry, command: ClusterCommand): Promise<void> {
    await this.aggregates.clusters.handle(entry.id, command, this.aggregates.ownContext(entry));
  }

  /** The stored events that are not observed yet lead to the next reaction. */
  private isAheadOfView({ id, hostKeys }: ClusterEntry): boolean {
    const streams = [streamIdOf('cluster', id), ...[...hostKeys].map((key) => streamIdOf('host', key))];
    return streams.some((streamId) => this.aggregates.isAheadOfFeed(streamId));
  }

  /** The statuses of the hosts are inputs of the cluster. Returns undefined when no reaction of a host is due. */
  private hostReactions({ id, hostKeys }: ClusterEntry): RunAgain | undefined {
    const keys = [`follow:${id}`, ...[...hostKeys].map((key) => `host:${key}`)];
    const after = keys.filter((key) => this.reactor.isBusy(key));
    return after.length > 0 ? { after } : undefined;
  }

  /**
   * Waits, for a few rounds, until the statuses of the cluster and its hosts follow from all changes that were stored before: each change
   * is evaluated, the reactions of the hosts come next, and that of the cluster last. `position`: of the last change of a host.
   */
  async settled(clusterId: string, position: number): Promise<void> {
    const { position: ownPosition } = await this.aggregates.clusters.load(clusterId);
    let awaited = Math.max(position, ownPosition, this.view.position());
    for (let round = 1; round <= SETTLING_ROUNDS_MAX; round += 1) {
      await this.reactor.followed(awaited, () => concernOf(this.view.concernedParts(clusterId)));
      const entry = this.view.cluster(clusterId);
      if (!entry) return;
      const last = await this.evaluations.lastOutcomes(clusterId, this.view.position(), entry);
      // The reactions to outcomes may still run when the view has observed them.
      if (last <= awaited && !entry.awaitsHosts && !this.isAheadOfView(entry)) return;
      awaited = Math.max(awaited, last);
    }
  }

  async passDeadline(clusterId: string, name: string): Promise<void> {
    const deadline = CLUSTER_DEADLINES.find((known) => known === name);
    if (!deadline) return;
    const entry = this.view.cluster(clusterId);
    const command = {
      type: 'PassDeadline',
      at: this.aggregates.now(),
      deadline,
      softTimeouts: this.config.softTimeouts,
      download: entry && downloadOf(entry),
    } as const;
    await this.aggregates.clusters.handle(clusterId, command, this.aggregates.ownContext(entry));
  }
}

/**
 * Returns the download that the preparation of the cluster waits for; undefined when it waits for something else. A download
 * that started for an earlier attempt may continue during this one, which waits for it.
 */
function downloadOf({ artifacts, download, state }: ClusterEntry): ClusterEntry['download'] {
  if (!download || artifacts?.attempt === state.attempt) return undefined;
  const isPresent = download.attempt === state.attempt || download.atMs > Date.parse(state.statusSince);
  return isPresent ? download : undefined;
}

/**
 * Returns the conditions of a cluster. Conditions and outcomes that were never recorded are derived from the settings. They are cached
 * by the state of the cluster, which one change of a host does not replace.
 */
export const conditionsOf = ({
  state,
  conditions,
  outcomes,
}: Pick<ClusterEntry, 'state' | 'conditions' | 'outcomes'>): ClusterSurroundings['conditions'] =>
  foundConditions(state, conditions, outcomes);

const foundConditions = keptByObject(
  (
    state: ClusterState,
    conditions: ClusterEntry['conditions'],
    outcomes: ClusterEntry['outcomes'],
  ): ClusterSurroundings['conditions'] => {
    if (!EVALUATED_CLUSTER_STATUSES.includes(state.status)) return undefined;
    const settings = toClusterSettingsFacts(state);
    const derived = conditions && outcomes.size > 0 ? [] : outcomesWithoutHosts(settings);
    const found = outcomes.size > 0 ? completeClusterOutcomes(outcomes) : derived;
    return {
      ...(conditions ?? clusterConditions({ settings }, derived)),
      ...clusterBlockingIds(found, settings.ignoredClusterRules),
    };
  },
);
