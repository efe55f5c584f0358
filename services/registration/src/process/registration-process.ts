import { agentSubject, type HostKey, parseHostKey, parseStreamId } from '@muster/contracts';
import { clusterDeadlines, hostDeadlines } from '@muster/domain';
import { type Deadline, DeadlineScheduler, type Reactor, startReactor } from '@muster/event-sourcing';
import { PLATFORM, type Platform, Readiness } from '@muster/nest-kit';
import type { RecordedEvent } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { ClusterProcess } from './cluster-process';
import { FollowUp } from './follow-up';
import { HostProcess } from './host-process';
import { Presence } from './presence';
import { isOrder, RegistrationView } from './registration-view';

/** Host facts that a cluster's own state depends on. */
const FACTS_FOR_THE_CLUSTER: ReadonlySet<string> = new Set([
  'HostRegistered',
  'HostReregistered',
  'HostEnteredStatus',
  'HostRoleAssigned',
  'HostRoleSuggested',
  'HostBootstrapChosen',
  'HostProgressed',
  'HostBound',
  'HostUnbound',
  'HostDeregistered',
  'InventoryReported',
]);

/**
 * The processes of this service on one feed. 1. Every fact is taken into the view. 2. It marks the hosts and clusters
 * that depend on it. 3. Each marked one is brought to where the view says it should be. 4. Its deadlines go into the
 * one timer heap; what is due is told to the aggregate. Nothing walks over all hosts except the start.
 */
@Injectable()
export class RegistrationProcess implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('registration');
  private readonly deadlines: DeadlineScheduler;
  private reactor: Reactor | undefined;
  private isLive = false;

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly hosts: HostProcess,
    private readonly clusters: ClusterProcess,
    private readonly followUp: FollowUp,
    private readonly presence: Presence,
    private readonly readiness: Readiness,
  ) {
    this.deadlines = new DeadlineScheduler(platform.clock, (deadline) => void this.pass(deadline));
  }

  onApplicationBootstrap(): void {
    this.readiness.register('registration', () => (this.isLive ? undefined : 'reading what happened before the start'));
    const { eventStore: store, requests } = this.platform;
    this.reactor = startReactor({
      name: 'registration',
      store,
      requests,
      observe: (event) => this.observe(event),
      keysOf: (event) => this.keysOf(event),
      react: (key) => this.react(key),
      isOpen: (key) => this.isOpen(key),
      onError: (error) => this.logger.warn(error.message),
    });
    void this.reactor.caughtUp.then(() => this.goLive());
  }

  async onApplicationShutdown(): Promise<void> {
    this.deadlines.close();
    await this.reactor?.close();
  }

  private goLive(): void {
    this.isLive = true;
    for (const { key, state } of this.view.allHosts()) {
      this.deadlines.set(`host:${key}`, hostDeadlines(state, this.config.hostTimeouts));
      if (isPresenceExpected(state.status)) this.presence.expectAfterStart(key);
    }
    for (const { id, state } of this.view.allClusters())
      this.deadlines.set(`cluster:${id}`, this.clusterDeadlines(state));
    this.deadlines.start();
  }

  private observe(event: RecordedEvent): void {
    this.view.observe(event);
    if (!this.isLive) return;
    const { category, id } = parseStreamId(event.streamId);
    if (category === 'host') {
      const entry = this.view.host(id as HostKey);
      this.deadlines.set(`host:${id}`, entry ? hostDeadlines(entry.state, this.config.hostTimeouts) : []);
      if (event.type === 'HostDeregistered') this.presence.forget(id as HostKey);
      if (event.type === 'HostEnteredStatus') this.nudge(id as HostKey);
    } else if (category === 'cluster') {
      const entry = this.view.cluster(id);
      if (entry) this.deadlines.set(`cluster:${id}`, this.clusterDeadlines(entry.state));
      if (event.type === 'ClusterSettingsRevised') this.view.hostsOf(id).forEach(({ key }) => this.nudge(key));
    }
  }

  private keysOf(event: RecordedEvent): readonly string[] {
    const { category, id } = parseStreamId(event.streamId);
    switch (category) {
      case 'host':
      case 'inventory': {
        const clusters = FACTS_FOR_THE_CLUSTER.has(event.type) ? this.view.clustersTouchedBy(event) : [];
        return [`host:${id}`, ...clusters.map((clusterId) => `cluster:${clusterId}`)];
      }
      case 'cluster': {
        const hosts =
          event.type === 'ClusterEnteredStatus' ? this.view.hostsOf(id).map(({ key }) => `host:${key}`) : [];
        const order = isOrder(event.type) ? [`follow:${id}`] : [];
        return [...order, `cluster:${id}`, ...hosts];
      }
      case 'validation':
        return [id.includes('.') ? `host:${id}` : `cluster:${id}`];
      case 'ignition':
        return [`cluster:${id}`];
      default:
        return [];
    }
  }

  private isOpen(key: string): boolean {
    const { kind, id } = splitKey(key);
    if (kind === 'host') return (this.view.host(id as HostKey)?.state.status ?? 'unregistered') !== 'unregistered';
    const cluster = this.view.cluster(id);
    return kind === 'follow'
      ? cluster?.order !== undefined
      : cluster !== undefined && cluster.state.status !== 'deregistered';
  }

  private async react(key: string): Promise<void> {
    const { kind, id } = splitKey(key);
    if (kind === 'host') await this.hosts.react(id as HostKey);
    else if (kind === 'cluster') await this.clusters.react(id);
    else {
      const order = this.view.cluster(id)?.order;
      if (order) await this.followUp.follow(id, order);
    }
  }

  private async pass({ key, name }: Deadline): Promise<void> {
    const { kind, id } = splitKey(key);
    const at = this.aggregates.now();
    try {
      if (kind === 'host') {
        const entry = this.view.host(id as HostKey);
        if (!entry) return;
        await this.aggregates.hosts.handle(
          id,
          { type: 'PassDeadline', at, deadline: name, ...this.hosts.surroundings(entry) },
          this.aggregates.ownContext(entry.lastEventId),
        );
      } else await this.clusters.passDeadline(id, name);
    } catch (error) {
      this.logger.error(`deadline ${name} of ${key}: ${String(error)}`);
      this.reactor?.wake(key);
    }
  }

  private clusterDeadlines(state: Parameters<typeof clusterDeadlines>[0]): ReturnType<typeof clusterDeadlines> {
    return clusterDeadlines(state, { timeouts: this.config.clusterTimeouts, softTimeouts: this.config.softTimeouts });
  }

  /** The agent asks at once instead of at its next poll. Lost nudges cost a poll interval, nothing else. */
  private nudge(key: HostKey): void {
    const { infraEnvId, hostId } = parseHostKey(key);
    this.platform.requests.publish(agentSubject(infraEnvId, hostId, 'nudge'), { reason: 'status' });
  }
}

function splitKey(key: string): { readonly kind: string; readonly id: string } {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) };
}

/** Statuses in which a discovery agent is polling. */
const PRESENT_STATUSES: ReadonlySet<string> = new Set([
  'discovering',
  'known',
  'insufficient',
  'pending-for-input',
  'preparing-for-installation',
  'preparing-successful',
  'preparing-failed',
  'installing',
  'installing-in-progress',
  'discovering-unbound',
  'known-unbound',
  'insufficient-unbound',
]);
const isPresenceExpected = (status: string): boolean => PRESENT_STATUSES.has(status);
