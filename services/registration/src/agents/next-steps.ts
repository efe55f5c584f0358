import { type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import {
  type ClusterState,
  ConnectivityRounds,
  effectiveRole,
  hostNotFound,
  type HostState,
  isDay2,
  planSteps,
  PollScheduler,
  STEP_ROWS,
  type StepCluster,
  type StepContext,
  type StepHost,
  type StepSettings,
} from '@muster/domain';
import {
  CLOCK,
  IDS,
  type InputOf,
  openProxy,
  type OutputOf,
  type ProxyUrls,
  readHttpHeaders,
  SECRETS,
} from '@muster/nest-kit';
import type { Clock, Ids, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { controlPlaneCountOf, externalPlatformNameOf } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { HostSecretVault } from '../sealed-secrets';
import { RegistrationView } from '../view/registration-view';
import { AgentUpgrades } from './agent-upgrades';
import { Presence } from './presence';
import { HostClocks } from './step-replies';

/** Statuses in which hosts check their connectivity to each other. */
const CONNECTED_STATUSES: ReadonlySet<string> = new Set(
  STEP_ROWS.flatMap(({ steps, statuses }) => (steps.includes('connectivity-check') ? statuses : [])),
);

/** Unsealed inputs of the steps of one host. */
export interface StepSecrets {
  readonly ignitionAccess?: StepContext['host']['ignitionAccess'];
  readonly proxy?: ProxyUrls;
}

/** Collects the inputs of the steps of a host. */
@Injectable()
export class StepContexts {
  private readonly rounds = new ConnectivityRounds();

  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly view: RegistrationView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  of(key: HostKey, host: HostState, cluster: ClusterState | undefined, secrets: StepSecrets = {}): StepContext {
    const entry = this.view.host(key);
    const { ntpSources, additionalNtpSources, staticNetworkConfig } =
      this.view.infraEnv(host.infraEnvId)?.settings ?? {};
    return {
      host: {
        hostId: host.hostId,
        infraEnvId: host.infraEnvId,
        status: host.status,
        kind: host.kind,
        effectiveRole: effectiveRole(host),
        isBootstrap: host.isBootstrap,
        installationDiskId: host.installationDisk.id,
        installationDiskPath: host.installationDisk.path,
        installerArgs: host.settings.installerArgs ?? '',
        skipFormattingDisks: (host.settings.skipFormattingDisks ?? '').split(',').filter(Boolean),
        hasLogs: host.logs.collectedAt !== '',
        machineConfigPoolName: host.machineConfigPoolName,
        measuredDisks: entry?.measuredDisks ?? [],
        checkedImages: entry?.checkedImages ?? [],
        tangServers: entry?.tangServers,
        ignitionAccess: secrets.ignitionAccess,
      },
      hardware: entry?.hardware,
      cluster: cluster && this.cluster(host.clusterId, cluster, secrets.proxy),
      infraEnv: {
        ntpSources: ntpSources || additionalNtpSources || '',
        hasStaticNetwork: Boolean(staticNetworkConfig?.digest),
      },
      others: () =>
        this.view
          .hostsOf(host.clusterId)
          .filter((other) => other.key !== key)
          .map(({ state, hardware }) => ({
            hostId: state.hostId,
            status: state.status,
            role: effectiveRole(state),
            isBootstrap: state.isBootstrap,
            hardware,
          })),
      images: this.images(host.clusterId),
      settings: this.settings(key, host),
    };
  }

  /** Parts of a release are those that an operator names, else those that the release names. */
  private images(clusterId: string): StepContext['images'] {
    const { images } = this.config;
    const ofRelease = this.view.cluster(clusterId)?.releaseImages;
    return {
      ...images,
      machineConfigOperator: images.machineConfigOperator || ofRelease?.machineConfigOperator || '',
      mustGather: images.mustGather || ofRelease?.mustGather || '',
    };
  }

  private settings(key: HostKey, { status, clusterId }: HostState): StepSettings {
    const { steps } = this.config;
    if (!clusterId || !CONNECTED_STATUSES.has(status)) return steps;
    if (this.rounds.take(clusterId, key, this.view.hostCountOf(clusterId), this.clock.nowMs())) return steps;
    return { ...steps, disabledSteps: [...steps.disabledSteps, 'connectivity-check'] };
  }

  private cluster(id: string, cluster: ClusterState, proxy: ProxyUrls | undefined): StepCluster {
    const { settings } = cluster;
    return {
      id,
      name: settings.name ?? '',
      baseDnsDomain: settings.baseDnsDomain ?? '',
      controlPlaneCount: controlPlaneCountOf(settings),
      openshiftVersion: settings.openshiftVersion ?? '',
      releaseImage: settings.ocpReleaseImage ?? '',
      apiVips: settings.apiVips?.items ?? [],
      ingressVips: settings.ingressVips?.items ?? [],
      machineNetworks: settings.machineNetworks?.items ?? [],
      userManagedNetworking: settings.userManagedNetworking ?? false,
      vipDhcpAllocation: settings.vipDhcpAllocation ?? false,
      vipLeases: cluster.vipLeases,
      externalPlatformName: externalPlatformNameOf(settings),
      ntpSources: settings.ntpSources || settings.additionalNtpSource || this.ntpSourcesOfInfraEnvs(id),
      proxy,
      apiVipDnsName: settings.apiVipDnsName ?? '',
      ignitionEndpoint: {
        url: textAt(settings.ignitionEndpoint, 'url') ?? '',
        caCertificate: textAt(settings.ignitionEndpoint, 'ca_certificate') ?? '',
      },
      diskEncryption: {
        enableOn: textAt(settings.diskEncryption, 'enable_on') ?? '',
        mode: textAt(settings.diskEncryption, 'mode') ?? '',
        tangServers: textAt(settings.diskEncryption, 'tang_servers') ?? '',
      },
    };
  }

  /** Returns the NTP sources of all infra-envs of the cluster without duplicates. */
  private ntpSourcesOfInfraEnvs(clusterId: string): string {
    const sources = new Set<string>();
    for (const { settings } of this.view.infraEnvsOf(clusterId))
      for (const source of (settings.ntpSources || settings.additionalNtpSources || '').split(',')) sources.add(source);
    sources.delete('');
    return [...sources].join(',');
  }
}

type Method = typeof RegistrationService.method.nextSteps;

/** The first digits of a UUID are random. */
const STEP_ID_DIGITS = 8;

/** Answers the polls of agents. */
@Injectable()
export class NextSteps {
  private readonly pace = new PollScheduler();

  constructor(
    private readonly aggregates: Aggregates,
    private readonly presence: Presence,
    private readonly contexts: StepContexts,
    private readonly clocks: HostClocks,
    private readonly vault: HostSecretVault,
    private readonly upgrades: AgentUpgrades,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly view: RegistrationView,
  ) {}

  /** @throws RefusalError `not-found` when the host is not registered. */
  async plan(request: InputOf<Method>): Promise<OutputOf<Method>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    if (state.status === 'unregistered') throw new RefusalError(hostNotFound(request.hostId));
    await this.presence.seen(key);
    this.clocks.measured(key, state.generation, request.timestampSeconds);
    await this.noteAgent(key, state, request.discoveryAgentVersion);
    const cluster = state.clusterId ? (await this.aggregates.clusters.load(state.clusterId)).state : undefined;
    const secrets = {
      ignitionAccess: await this.ignitionAccess(state),
      proxy: cluster && (await openProxy(this.secrets, state.clusterId, cluster.settings.proxy)),
    };
    const situation = {
      host: key,
      hostStatus: state.status,
      clusterStatus: cluster?.status ?? '',
      hostCount: this.view.hostCountOf(state.clusterId),
      receivesNudges: request.receivesNudges,
    };
    const version = request.discoveryAgentVersion || state.agentVersion;
    const whole = planSteps(this.contexts.of(key, state, cluster, secrets), version);
    const plan = this.pace.apply(whole, situation, this.clock.nowMs());
    for (const { type, args } of plan.steps) if (type === 'upgrade-agent') this.upgrades.started(state, args[0] ?? '');
    return {
      instructions: plan.steps.map(({ type, args }) => ({
        stepType: type,
        // The agent is replaced before it can reply, so the upgrade step has no id.
        stepId: type === 'upgrade-agent' ? '' : `${type}-${this.ids.uuid().slice(0, STEP_ID_DIGITS)}`,
        args: [...args],
      })),
      nextInstructionSeconds: plan.intervalSeconds,
      postStepAction: plan.then,
      holdSeconds: plan.holdSeconds,
    };
  }

  /** An agent that was upgraded polls with another version than it registered with. */
  private async noteAgent(key: HostKey, state: HostState, agentVersion: string): Promise<void> {
    if (agentVersion === '' || agentVersion === state.agentVersion) return;
    const command = { type: 'ReportAgentVersion', at: this.aggregates.now(), agentVersion } as const;
    await this.aggregates.hosts.handle(key, command, this.aggregates.ownContext({ state }));
  }

  /** Removes the state of a host that was removed. */
  forget(key: HostKey): void {
    this.pace.forget(key);
  }

  /** Returns the token and headers of the Ignition endpoint. Only hosts that join a running cluster have them. */
  private async ignitionAccess(host: HostState): Promise<StepHost['ignitionAccess']> {
    const { ignitionEndpointTokenSet, ignitionEndpointHttpHeadersSet } = host.settings;
    if (!isDay2(host) || !(ignitionEndpointTokenSet || ignitionEndpointHttpHeadersSet)) return undefined;
    const headers = await this.vault.open(host, 'ignition-endpoint-http-headers');
    return {
      token: await this.vault.open(host, 'ignition-endpoint-token'),
      headers: readHttpHeaders(headers || '{}'),
    };
  }
}
