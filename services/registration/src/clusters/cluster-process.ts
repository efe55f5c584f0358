import {
  type ClusterCommand,
  CLUSTER_DEADLINES,
  hostStages,
  type HostSummary,
  isDay2,
  summarizeHosts,
} from '@muster/domain';
import { deriveMachineNetworks, networkOfAddress, toClusterSettingsFacts } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { type ClusterEntry, type HostEntry, RegistrationView } from '../view/registration-view';
import { toSummarizedHost } from '../view/host-summary';
import { RoleProcess } from './role-process';

/** Statuses in which machine networks follow from VIPs and hosts. */
const DERIVING_STATUSES: readonly string[] = ['pending-for-input', 'insufficient'];
/** Statuses before an installation, in which roles are suggested. */
const OPEN_STATUSES: readonly string[] = ['pending-for-input', 'insufficient', 'ready'];
const PROGRESSING_STATUSES: readonly string[] = ['installing', 'installing-pending-user-action', 'finalizing'];

/** Brings one cluster to where its hosts, verdicts and artifacts say it should be. */
@Injectable()
export class ClusterProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly roles: RoleProcess,
  ) {}

  async react(clusterId: string): Promise<void> {
    const entry = this.view.cluster(clusterId);
    if (!entry || entry.state.status === 'deregistered') return;
    const hosts = this.view.hostsOf(clusterId);
    if (OPEN_STATUSES.includes(entry.state.status)) await this.roles.suggest(entry, hosts);
    await this.ensureBootstrap(entry, hosts);
    for (const command of this.commandsFor(entry, hosts)) {
      await this.aggregates.clusters.handle(clusterId, command, this.aggregates.ownContext(entry));
    }
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

  summary(hosts: readonly HostEntry[]): HostSummary {
    return summarizeHosts(hosts.filter(({ state }) => !isDay2(state)).map(toSummarizedHost));
  }

  /** What the cluster is told, in this order. Each command stores nothing when it says nothing new. */
  private *commandsFor(entry: ClusterEntry, hosts: readonly HostEntry[]): Generator<ClusterCommand> {
    const { state, artifacts } = entry;
    const at = this.aggregates.now();
    if (
      state.status === 'preparing-for-installation' &&
      artifacts?.attempt === state.attempt &&
      state.preparation === 'pending'
    ) {
      const outcome = artifacts.failure
        ? ({ kind: 'failure', reason: artifacts.failure } as const)
        : ({ kind: 'success', openshiftClusterId: artifacts.openshiftClusterId } as const);
      yield { type: 'FinishPreparation', at, attempt: artifacts.attempt, outcome };
    }
    if (entry.hasKubeconfig && !state.hasKubeconfig) yield { type: 'CompleteKubeconfig', at };
    if (DERIVING_STATUSES.includes(state.status)) {
      const hardware = hosts.flatMap((host) => host.hardware ?? []);
      const cidrs = deriveMachineNetworks(toClusterSettingsFacts(state), hardware);
      if (cidrs) yield { type: 'DeriveMachineNetworks', at, cidrs };
    }
    if (PROGRESSING_STATUSES.includes(state.status))
      yield { type: 'RecordProgress', at, ...this.stageSums(entry, hosts) };
    yield {
      type: 'Refresh',
      at,
      conditions: entry.conditions,
      hosts: this.summary(hosts),
      singleNodeAddress: state.settings.controlPlaneCount === 1 ? this.singleNodeAddress(entry, hosts) : '',
    };
  }

  private stageSums(
    entry: ClusterEntry,
    hosts: readonly HostEntry[],
  ): { readonly stagesReached: number; readonly stagesTotal: number } {
    let stagesReached = 0;
    let stagesTotal = 0;
    for (const { state } of hosts) {
      const stages = hostStages({
        role: state.role,
        isBootstrap: state.isBootstrap,
        isDay2: false,
        controlPlaneCount: entry.state.settings.controlPlaneCount ?? 3,
        isKubeApi: false,
      });
      stagesTotal += stages.length;
      stagesReached += state.progress.stage ? stages.indexOf(state.progress.stage) + 1 : 0;
    }
    return { stagesReached, stagesTotal };
  }

  private singleNodeAddress({ state }: ClusterEntry, hosts: readonly HostEntry[]): string {
    const network = state.settings.machineNetworks?.items[0];
    const addresses = (hosts[0]?.hardware?.nics ?? []).flatMap((nic) => [...nic.ipv4Addresses, ...nic.ipv6Addresses]);
    const own = addresses
      .map((cidr) => cidr.split('/')[0] ?? '')
      .find((address) => network && networkOfAddress([network], address));
    return own ?? '';
  }

  /** The cluster's own fact names its bootstrap; the host learns of it here, after a crash in between too. */
  private async ensureBootstrap(cluster: ClusterEntry, hosts: readonly HostEntry[]): Promise<void> {
    const { status, bootstrapHostId } = cluster.state;
    if (status !== 'preparing-for-installation' || !bootstrapHostId) return;
    const bootstrap = hosts.find(({ state }) => state.hostId === bootstrapHostId);
    if (!bootstrap || bootstrap.state.isBootstrap) return;
    const command = { type: 'ChooseBootstrap', at: this.aggregates.now() } as const;
    await this.aggregates.hosts.handle(bootstrap.key, command, this.aggregates.ownContext(cluster));
  }
}
