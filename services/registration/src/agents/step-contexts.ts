import type { HostKey } from '@muster/contracts';
import { CLOCK, type ProxyUrls } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import {
  type ClusterState,
  ConnectivityRounds,
  effectiveRole,
  type HostState,
  type StepCluster,
  type StepContext,
  STEP_ROWS,
  type StepSettings,
} from '@muster/domain';
import { toClusterSettingsFacts, controlPlaneCountOf } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';

/** Statuses in which hosts check how they reach each other. */
const CONNECTED_STATUSES: ReadonlySet<string> = new Set(
  STEP_ROWS.flatMap(({ steps, statuses }) => (steps.includes('connectivity-check') ? statuses : [])),
);

/** Sealed inputs of the steps of one host, opened by the caller. */
export interface StepSecrets {
  readonly ignitionAccess?: StepContext['host']['ignitionAccess'];
  readonly proxy?: ProxyUrls;
}

/** Gathers the inputs of the steps of a host. */
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
        hasStaticNetwork: Boolean(staticNetworkConfig),
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
      images: this.config.images,
      settings: this.settings(key, host),
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
      externalPlatformName: toClusterSettingsFacts(cluster).externalPlatformName,
      ntpSources: settings.ntpSources || settings.additionalNtpSource || this.ntpSourcesOfInfraEnvs(id),
      proxy,
      apiVipDnsName: settings.apiVipDnsName ?? '',
      ignitionEndpoint: {
        url: textOf(settings.ignitionEndpoint, 'url'),
        caCertificate: textOf(settings.ignitionEndpoint, 'ca_certificate'),
      },
      diskEncryption: {
        enableOn: textOf(settings.diskEncryption, 'enable_on'),
        mode: textOf(settings.diskEncryption, 'mode'),
        tangServers: textOf(settings.diskEncryption, 'tang_servers'),
      },
    };
  }

  /** The sources of all infra-envs of the cluster, each once. */
  private ntpSourcesOfInfraEnvs(clusterId: string): string {
    const sources = new Set<string>();
    for (const { settings } of this.view.infraEnvsOf(clusterId))
      for (const source of (settings.ntpSources || settings.additionalNtpSources || '').split(',')) sources.add(source);
    sources.delete('');
    return [...sources].join(',');
  }
}

function textOf(document: { readonly [name: string]: unknown } | undefined, name: string): string {
  const value = document?.[name];
  return typeof value === 'string' ? value : '';
}
