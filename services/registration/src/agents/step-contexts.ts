import type { HostKey } from '@muster/contracts';
import {
  type ClusterState,
  effectiveRole,
  type HostState,
  RemoteHosts,
  type StepCluster,
  type StepContext,
  type StepOtherHost,
  waitsForClusterVersion,
} from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { CLOCK, type ProxyUrls } from '@muster/nest-kit';
import { type Clock, START_OF_STORE, steadyClock } from '@muster/ports';
import { keptByObject, textAt } from '@muster/schema';
import { controlPlaneCountOf, externalPlatformNameOf } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import type { MemberEntry } from '../view/view-entries';
import { RegistrationView } from '../view/registration-view';

/** Size of the texts of all clusters whose remote hosts are kept. A host with two NICs has 200 characters. */
const REMOTE_HOSTS_MAX_CHARACTERS = 32 * 1_024 * 1_024;

interface KeptRemoteHosts {
  readonly remoteHosts: RemoteHosts;
  /** Position of the last event that the hosts were compared with. */
  readonly position: number;
}

/** Unsealed inputs of the steps of one host. */
export interface StepSecrets {
  readonly ignitionAccess?: StepContext['host']['ignitionAccess'];
  readonly proxy?: ProxyUrls;
}

/** Collects the inputs of the steps of a host. */
@Injectable()
export class StepContexts {
  private readonly keptRemoteHosts = new BoundedMap<string, KeptRemoteHosts>(REMOTE_HOSTS_MAX_CHARACTERS);
  /** Measures the time between polls, and the time since the remote hosts have changed. */
  readonly steady: Clock;

  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly view: RegistrationView,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.steady = steadyClock(clock);
  }

  of(key: HostKey, host: HostState, cluster: ClusterState | undefined, secrets: StepSecrets = {}): StepContext {
    const entry = this.view.host(key);
    const { additionalNtpSources, cpuArchitecture, ntpSources, staticNetworkConfig } =
      this.view.infraEnv(host.infraEnvId)?.state.settings ?? {};
    return {
      host: {
        hostId: host.hostId,
        infraEnvId: host.infraEnvId,
        status: host.status,
        hasIdentityConflict: host.conflict !== undefined,
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
        osImageUrl: entry?.osImageUrl,
        ignitionAccess: secrets.ignitionAccess,
      },
      hardware: entry?.hardware,
      cluster:
        cluster && stepClusterOf(cluster, host.clusterId, this.ntpSourcesOf(host.clusterId, cluster), secrets.proxy),
      infraEnv: {
        ntpSources: ntpSources || additionalNtpSources || '',
        hasStaticNetwork: Boolean(staticNetworkConfig?.digest),
        cpuArchitecture: cpuArchitecture ?? '',
      },
      others: () =>
        this.view
          .hostsOf(host.clusterId)
          .filter((other) => other.key !== key)
          .map(otherHost),
      remoteHosts: () => this.remoteHosts(host.clusterId),
      images: this.images(host.clusterId),
      settings: this.config.steps,
    };
  }

  /**
   * Returns the hosts of a cluster as connectivity checks name them: the same object until one of them joins, leaves, or changes
   * its status or its NICs.
   */
  remoteHosts(clusterId: string): RemoteHosts {
    const position = this.view.cluster(clusterId)?.inputsPosition;
    if (position === undefined) return NO_REMOTE_HOSTS;
    const kept = this.keptRemoteHosts.get(clusterId);
    if (kept?.position === position) return kept.remoteHosts;
    const hosts = this.view.hostsOf(clusterId).map((entry) => [entry.key, otherHost(entry)] as const);
    const current = new RemoteHosts(position, hosts, this.steady.nowMs());
    const remoteHosts = kept?.remoteHosts.equals(current) ? kept.remoteHosts : current;
    this.keptRemoteHosts.set(clusterId, { remoteHosts, position }, remoteHosts.length + 1);
    return remoteHosts;
  }

  /** Parts of a release are those that an operator names, else those that the release names. */
  private images(clusterId: string): StepContext['images'] {
    const { images } = this.config;
    const ofRelease = this.view.cluster(clusterId)?.releaseImages;
    return {
      ...images,
      machineConfigOperator: images.machineConfigOperator || ofRelease?.machineConfigOperator || '',
      mustGather: images.mustGather || ofRelease?.mustGather || '',
      coreos: ofRelease?.coreos ?? '',
    };
  }

  private ntpSourcesOf(id: string, { settings }: ClusterState): string {
    return settings.ntpSources || settings.additionalNtpSource || this.ntpSourcesOfInfraEnvs(id);
  }

  /** Returns the NTP sources of all infra-envs of the cluster without duplicates. */
  private ntpSourcesOfInfraEnvs(clusterId: string): string {
    const sources = new Set<string>();
    for (const { settings } of this.view.infraEnvsOf(clusterId))
      for (const source of (settings.ntpSources || settings.additionalNtpSources || '').split(','))
        sources.add(source.trim());
    sources.delete('');
    return [...sources].join(',');
  }
}

/** Returns the same object for all polls until the cluster changes, so that the steps can keep what they derive from it. */
const stepClusterOf = keptByObject(
  (cluster: ClusterState, id: string, ntpSources: string, proxy: ProxyUrls | undefined): StepCluster => {
    const { settings } = cluster;
    return {
      id,
      name: settings.name ?? '',
      baseDnsDomain: settings.baseDnsDomain ?? '',
      controlPlaneCount: controlPlaneCountOf(settings),
      openshiftVersion: settings.openshiftVersion ?? '',
      releaseImage: settings.ocpReleaseImage ?? '',
      waitsForClusterVersion: waitsForClusterVersion(cluster),
      apiVips: settings.apiVips?.items ?? [],
      ingressVips: settings.ingressVips?.items ?? [],
      machineNetworks: settings.machineNetworks?.items ?? [],
      userManagedNetworking: settings.userManagedNetworking ?? false,
      vipDhcpAllocation: settings.vipDhcpAllocation ?? false,
      vipLeases: cluster.vipLeases,
      externalPlatformName: externalPlatformNameOf(settings),
      ntpSources,
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
  },
);

const NO_REMOTE_HOSTS = new RemoteHosts(START_OF_STORE, []);

const otherHost = ({ state, hardware }: MemberEntry): StepOtherHost => ({
  hostId: state.hostId,
  status: state.status,
  role: effectiveRole(state),
  isBootstrap: state.isBootstrap,
  hardware,
});
