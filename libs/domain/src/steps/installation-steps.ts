import { addressOf, controlPlaneAddresses, networkOfIpv4 } from './network-steps';
import type { StepArguments, StepContext } from './step-context';

/** OpenShift release from which the reboot of the machine-config operator can be skipped. */
const SKIP_MCO_REBOOT_SINCE = [4, 15] as const;

export const inventory: StepArguments = ({ host }) => [host.hostId];

export const diskSpeedCheck: StepArguments = ({ host, settings, hardware }) => {
  const disk = host.installationDiskId;
  const keepsPartitions = host.installerArgs.includes('--save-part');
  if (!disk || keepsPartitions || hardware?.bootDeviceType === 'persistent' || host.measuredDisks.includes(disk))
    return undefined;
  return [JSON.stringify({ path: disk }), settings.diskCheckTimeoutSeconds.toFixed(2)];
};

export const imageAvailability: StepArguments = (context) => {
  const images = imagesOf(context).filter((image) => !context.host.checkedImages.includes(image));
  return images.length > 0
    ? [JSON.stringify({ images, timeout: context.settings.imageAvailabilityTimeoutSeconds })]
    : undefined;
};

/** What a host has to be able to pull before it installs. */
export function imagesOf({ cluster, images }: Pick<StepContext, 'cluster' | 'images'>): string[] {
  return [cluster?.releaseImage, images.machineConfigOperator, images.mustGather, images.installer].filter(
    (image): image is string => Boolean(image),
  );
}

export const logsGather: StepArguments = (context) => {
  const { host, cluster } = context;
  if (host.hasLogs || !cluster) return undefined;
  return [
    JSON.stringify({
      cluster_id: cluster.id,
      host_id: host.hostId,
      infra_env_id: host.infraEnvId,
      bootstrap: host.isBootstrap,
      installer_gather: true,
      master_ips: host.isBootstrap ? controlPlaneAddresses(context) : null,
    }),
  ];
};

export const stopInstallation: StepArguments = () => [];

/** The installer's whole command. Empty and false members are left out, as today's agents expect. */
export const install: StepArguments = (context) => {
  const { host, cluster, images, settings } = context;
  if (!cluster || !host.installationDiskId) return undefined;
  const isDay2 = host.kind === 'AddToExistingClusterHost';
  const network = networkArguments(context);
  if (!network) return undefined;
  const installerArgs = [...parseArguments(host.installerArgs), ...network];
  const command = {
    cluster_id: cluster.id,
    infra_env_id: host.infraEnvId,
    host_id: host.hostId,
    role: host.isBootstrap ? 'bootstrap' : host.effectiveRole,
    boot_device: host.installationDiskPath || host.installationDiskId,
    controller_image: images.controller,
    installer_image: images.installer,
    control_plane_count: cluster.controlPlaneCount,
    check_cvo: settings.checkClusterVersion || undefined,
    enable_skip_mco_reboot:
      (settings.skipMcoReboot &&
        atLeast(cluster.openshiftVersion, SKIP_MCO_REBOOT_SINCE) &&
        !/^\/dev\/dm-/.test(host.installationDiskPath)) ||
      undefined,
    notify_num_reboots: true,
    mco_image: isDay2 ? undefined : images.machineConfigOperator || undefined,
    must_gather_image: isDay2 ? undefined : images.mustGather || undefined,
    openshift_version: isDay2 ? undefined : cluster.openshiftVersion,
    installer_args: installerArgs.length > 0 ? JSON.stringify(installerArgs) : undefined,
    disks_to_format: disksToFormat(context),
    skip_installation_disk_cleanup: host.installerArgs.includes('--save-part') || undefined,
    proxy: proxyOf(context),
  };
  return [JSON.stringify(command)];
};

/** Boot arguments that bring up the NICs of the machine network on first boot; undefined when a day-1 host has none of them. */
function networkArguments({ hardware, cluster, host }: StepContext): readonly string[] | undefined {
  const given = host.installerArgs;
  if (given.includes('ip=') || given.includes('--copy-network')) return [];
  const primary = cluster?.machineNetworks[0];
  const nics = (hardware?.nics ?? []).filter(({ ipv4Addresses, ipv6Addresses }) =>
    primary
      ? ipv4Addresses.some((cidr) => inNetwork(cidr, primary)) || (primary.includes(':') && ipv6Addresses.length > 0)
      : ipv4Addresses.length + ipv6Addresses.length > 0,
  );
  if (nics.length === 0) return host.kind === 'AddToExistingClusterHost' ? [] : undefined;
  return nics.flatMap((nic) => {
    const modes = [nic.ipv4Addresses.length > 0 && 'dhcp', nic.ipv6Addresses.length > 0 && 'dhcp6']
      .filter(Boolean)
      .join(',');
    return ['--append-karg', `ip=${nic.macAddress.replaceAll(':', '-')}:${modes}`];
  });
}

const inNetwork = (cidr: string, network: string): boolean =>
  !network.includes(':') && networkOfIpv4(`${addressOf(cidr)}/${network.split('/')[1]}`) === network;

function disksToFormat({ hardware, host }: StepContext): string[] | undefined {
  const disks = (hardware?.disks ?? []).filter(
    (disk) =>
      disk.bootable &&
      !disk.removable &&
      !disk.isInstallationMedia &&
      !disk.byPath.includes('mmcblk') &&
      !['FC', 'iSCSI', 'LVM', 'Multipath'].includes(disk.driveType) &&
      !host.skipFormattingDisks.includes(disk.id),
  );
  return disks.length > 0 ? disks.map(({ id }) => id) : undefined;
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
  return { http_proxy: proxy.httpProxy, https_proxy: proxy.httpsProxy, no_proxy: noProxy };
}

function parseArguments(json: string): string[] {
  if (!json) return [];
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
