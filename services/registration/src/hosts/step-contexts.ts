import type { HostKey } from '@muster/contracts';
import { type ClusterState, effectiveRole, type HostState, type StepCluster, type StepContext } from '@muster/domain';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../process/registration-view';

/** Gathers what a host's steps are made of. */
@Injectable()
export class StepContexts {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly view: RegistrationView,
  ) {}

  of(key: HostKey, host: HostState, cluster: ClusterState | undefined): StepContext {
    const entry = this.view.host(key);
    const infraEnv = this.view.infraEnv(host.infraEnvId)?.settings;
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
      },
      hardware: entry?.hardware,
      cluster: cluster && toStepCluster(host.clusterId, cluster),
      infraEnvNtpSources: infraEnv?.ntpSources || infraEnv?.additionalNtpSources || '',
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
      settings: this.config.steps,
    };
  }
}

function toStepCluster(id: string, { settings }: ClusterState): StepCluster {
  return {
    id,
    name: settings.name ?? '',
    baseDnsDomain: settings.baseDnsDomain ?? '',
    controlPlaneCount: settings.controlPlaneCount ?? 3,
    openshiftVersion: settings.openshiftVersion ?? '',
    releaseImage: settings.ocpReleaseImage ?? '',
    apiVips: settings.apiVips?.items ?? [],
    ingressVips: settings.ingressVips?.items ?? [],
    machineNetworks: settings.machineNetworks?.items ?? [],
    usesDhcpVips: settings.vipDhcpAllocation ?? false,
    userManagedNetworking: settings.userManagedNetworking ?? false,
    ntpSources: settings.additionalNtpSource ?? '',
    proxy: settings.proxy,
    apiVipDnsName: settings.apiVipDnsName ?? '',
  };
}
