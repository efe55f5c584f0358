import { disksToFormat, isAtLeast, isDisk } from '@muster/validation-rules';
import { installerArguments } from './installer-arguments';
import { keepsPartitions } from './preparation-steps';
import { isDay2Host, type StepArguments, type StepContext, type StepHost } from './step-context';

/** OpenShift release from which the reboot of the machine-config operator can be skipped. */
const SKIP_MCO_REBOOT_SINCE = '4.15';

/** The installer's whole command. Empty and false members are left out, as the agents of assisted-service v2 expect. */
export const install: StepArguments = (context) => {
  const { host, cluster, images, settings } = context;
  const installerArgs = installerArguments(context);
  if (!cluster || !host.installationDiskId || !installerArgs) return undefined;
  const isDay1 = !isDay2Host(host);
  return [
    JSON.stringify({
      cluster_id: cluster.id,
      infra_env_id: host.infraEnvId,
      host_id: host.hostId,
      role: roleOf(host),
      // The id is a name by path or serial number where there is one: device names change between boots.
      boot_device: host.installationDiskId,
      controller_image: images.controller,
      installer_image: images.installer,
      control_plane_count: cluster.controlPlaneCount,
      check_cvo: settings.checkClusterVersion || undefined,
      enable_skip_mco_reboot: skipsMcoReboot(context) || undefined,
      notify_num_reboots: true,
      mco_image: (isDay1 && images.machineConfigOperator) || undefined,
      must_gather_image: (isDay1 && images.mustGather) || undefined,
      openshift_version: (isDay1 && cluster.openshiftVersion) || undefined,
      installer_args: installerArgs.length > 0 ? JSON.stringify(installerArgs) : undefined,
      skip_installation_disk_cleanup: keepsPartitions(host) || undefined,
      disks_to_format: orAbsent(formattedDisks(context)),
      proxy: proxyOf(context),
      service_ips: null,
    }),
  ];
};

function roleOf({ isBootstrap, effectiveRole }: StepHost): string {
  if (isBootstrap) return 'bootstrap';
  // A late-bound day-2 host whose role was not chosen.
  return effectiveRole === 'auto-assign' ? 'worker' : effectiveRole;
}

function skipsMcoReboot({ cluster, hardware, host, settings }: StepContext): boolean {
  return (
    settings.skipMcoReboot &&
    isAtLeast(cluster?.openshiftVersion ?? '', SKIP_MCO_REBOOT_SINCE) &&
    hardware?.cpuArchitecture !== 's390x' &&
    !host.installationDiskPath.startsWith('/dev/dm-')
  );
}

/** Bootable disks, but for those a user wants spared and the one whose partitions are kept. */
function formattedDisks({ hardware, host }: StepContext): readonly string[] {
  const spared = [...host.skipFormattingDisks, ...(keepsPartitions(host) ? [host.installationDiskId] : [])];
  const disks = (hardware?.disks ?? []).filter((disk) => !spared.some((name) => isDisk(disk, name)));
  return disksToFormat(disks);
}

function proxyOf({ cluster }: StepContext): object | undefined {
  const proxy = cluster?.proxy;
  if (!cluster || !proxy || (!proxy.httpProxy && !proxy.httpsProxy)) return undefined;
  const always = [
    '127.0.0.1',
    'localhost',
    '.svc',
    '.cluster.local',
    `api-int.${cluster.name}.${cluster.baseDnsDomain}`,
  ];
  const noProxy = proxy.noProxy === '*' ? '*' : [proxy.noProxy, ...always].filter(Boolean).join(',');
  return {
    http_proxy: proxy.httpProxy || undefined,
    https_proxy: proxy.httpsProxy || undefined,
    no_proxy: noProxy,
  };
}

const orAbsent = (items: readonly string[]): readonly string[] | undefined => (items.length > 0 ? items : undefined);
