import { compareIps, parseCidr, parseIp } from '@muster/addresses';
import { type Disk, disksToFormat, isAtLeast, isDisk, type Nic } from '@muster/validation-rules';
import { addressesIn, isInNetwork, machineNetworkOf, nicAddresses } from './network-steps';
import { isDay2Host, type StepArguments, type StepContext, type StepHost } from './step-context';

/**
 * Returns the arguments of the inventory step. Older agents do not accept limits, so limits are sent only when the
 * operator of the service set them.
 */
export const inventory: StepArguments = ({ host, settings }) => [
  host.hostId,
  ...(settings.inventoryBytesMax > 0 ? [`--output-max-size=${settings.inventoryBytesMax}`] : []),
  ...(settings.inventoryDiskBytesMin > 0 ? [`--disk-min-size=${settings.inventoryDiskBytesMin}`] : []),
];

/** Returns the disk to measure. A disk with partitions that are kept must not be written, not even to measure it. */
export const keepsPartitions = ({ installerArgs }: StepHost): boolean => installerArgs.includes('--save-part');

export const diskSpeedCheck: StepArguments = ({ host, settings, hardware }) => {
  const disk = host.installationDiskId;
  const isSettled = keepsPartitions(host) || hardware?.bootDeviceType === 'persistent';
  if (!disk || isSettled || host.measuredDisks.includes(disk)) return undefined;
  return [JSON.stringify({ path: disk }), settings.diskCheckTimeoutSeconds.toFixed(2)];
};

export const imageAvailability: StepArguments = (context) => {
  const images = imagesOf(context).filter((image) => !context.host.checkedImages.includes(image));
  return images.length > 0
    ? [JSON.stringify({ images, timeout: context.settings.imageAvailabilityTimeoutSeconds })]
    : undefined;
};

/** Prefix of a component that hosts download from the service instead of a registry. */
const EXECUTABLE_PREFIX = 'muster-host:';

/** Returns the container images that a host must be able to pull before it installs. */
export function imagesOf({ cluster, images }: Pick<StepContext, 'cluster' | 'images'>): string[] {
  return [cluster?.releaseImage, images.machineConfigOperator, images.mustGather, images.installer].filter(
    (image): image is string => Boolean(image) && !image?.startsWith(EXECUTABLE_PREFIX),
  );
}

/** OpenShift release from which the reboot of the machine-config operator can be skipped. */
const SKIP_MCO_REBOOT_SINCE = '4.15';

/**
 * Returns the complete command of the installer. Empty and false members are omitted, as the agents of assisted-service
 * v2 expect.
 */
export const install: StepArguments = (context) => {
  const { host, cluster, images } = context;
  const installerArgs = installerArguments(context);
  if (!cluster || !host.installationDiskId || !installerArgs || lacksCoreosImage(context)) return undefined;
  const isDay1 = !isDay2Host(host);
  return [
    JSON.stringify({
      cluster_id: cluster.id,
      infra_env_id: host.infraEnvId,
      host_id: host.hostId,
      role: roleOf(host),
      // Uses the path by id or serial number if there is one, because device names change between boots.
      boot_device: host.installationDiskId,
      controller_image: images.controller,
      installer_image: images.installer,
      control_plane_count: cluster.controlPlaneCount,
      check_cvo: cluster.waitsForClusterVersion || undefined,
      enable_skip_mco_reboot: skipsMcoReboot(context) || undefined,
      notify_num_reboots: true,
      coreos_image: coreosImageOf(context),
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

/**
 * Returns the operating system image that replaces the running system of a host without writing its disk. Undefined for
 * a host that does not run from its disk. On day 2, the cluster that it joins names the image.
 */
function coreosImageOf({ hardware, host, images }: StepContext): string | undefined {
  if (hardware?.bootDeviceType !== 'persistent') return undefined;
  return images.coreos || (isDay2Host(host) && host.osImageUrl) || '';
}

/** Without the image, the installer would write the disk from which the host runs. */
export const lacksCoreosImage = (context: StepContext): boolean => coreosImageOf(context) === '';

function roleOf({ isBootstrap, effectiveRole }: StepHost): string {
  if (isBootstrap) return 'bootstrap';
  // A late-bound day-2 host without a selected role.
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

/** Returns the bootable disks without the disks that a user excluded and the disk whose partitions are kept. */
function formattedDisks({ hardware, host }: StepContext): readonly string[] {
  const excluded = [...host.skipFormattingDisks, ...(keepsPartitions(host) ? [host.installationDiskId] : [])];
  const disks = (hardware?.disks ?? []).filter((disk) => !excluded.some((name) => isDisk(disk, name)));
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

/**
 * Returns extra arguments of coreos-installer. Undefined when the network of the host after its first boot is unknown,
 * so that it must not be installed yet.
 */
export function installerArguments(context: StepContext): readonly string[] | undefined {
  const given = parseArguments(context.host.installerArgs);
  if (!given) return undefined;
  const network = networkArguments(context, given);
  return network && [...given, ...network, ...diskArguments(context, given), ...mainframeArguments(context, given)];
}

/** The names of one flag of coreos-installer. */
const COPY_NETWORK: readonly string[] = ['--copy-network', '-n'];

/**
 * Returns how the network is configured at first boot: as it is configured now, or by DHCP on the NICs of the machine
 * network.
 */
function networkArguments(context: StepContext, given: readonly string[]): readonly string[] | undefined {
  const copiesNetwork = given.some((argument) => COPY_NETWORK.includes(argument));
  if (context.infraEnv.hasStaticNetwork) return copiesNetwork ? [] : ['--copy-network'];
  if (copiesNetwork || namesNetwork(given) || keepsBootNetwork(context) || isOnIscsiOfOci(context)) return [];
  const network = machineNetworkOf(context);
  if (!network) return isDay2Host(context.host) ? [] : undefined;
  const nics = (context.hardware?.nics ?? []).filter((nic) => isInNetwork(nic, network));
  return nics.flatMap(dhcpOn).flatMap(kernelArgument);
}

/** Returns the arguments with which the disk is found at boot. */
function diskArguments(context: StepContext, given: readonly string[]): readonly string[] {
  const disk = installationDisk(context);
  const iscsi = disk && iscsiSessionOf(disk, context);
  const needed = [
    ...(disk?.driveType === 'Multipath' ? ['rw', 'rd.multipath=default'] : []),
    ...(iscsi ? ['rd.iscsi.firmware=1', ...iscsiNetwork(iscsi, context, given)] : []),
    ...(disk?.driveType === 'RAID' ? ['rd.md=1', 'rd.auto=1'] : []),
  ];
  return needed.filter((argument) => !given.includes(argument)).flatMap(kernelArgument);
}

/** Returns the arguments with which the machine was booted. KVM finds the devices of its guests without them. */
function mainframeArguments({ hardware }: StepContext, given: readonly string[]): readonly string[] {
  if (hardware?.manufacturer !== 'IBM/S390' || hardware.productName.endsWith('KVM/Linux')) return [];
  return bootArguments(hardware)
    .filter((argument) => argument !== NETWORK_OVERRIDE && !given.includes(argument))
    .flatMap(kernelArgument);
}

const NETWORK_OVERRIDE = 'ai.ip_cfg_override=1';
const bootArguments = (hardware: StepContext['hardware']): readonly string[] =>
  (hardware?.bootArguments ?? '').split(' ').filter(Boolean);
/** The kernel arguments of the machine configure its network, because it has no DHCP. */
const keepsBootNetwork = ({ hardware }: StepContext): boolean => bootArguments(hardware).includes(NETWORK_OVERRIDE);

const kernelArgument = (argument: string): readonly string[] => ['--append-karg', argument];

/** Settings of one NIC replace the defaults of all NICs. */
const namesNetwork = (given: readonly string[]): boolean => given.some((argument) => /(^|=)ip=/.test(argument));

/** Returns no argument for a NIC without a MAC address, such as a tunnel: without a name, the argument would be for no NIC. */
function dhcpOn(nic: Nic): readonly string[] {
  if (nic.macAddress === '') return [];
  const families = new Set(nicAddresses(nic).map(({ family }) => family));
  const modes = [...(families.has(4) ? ['dhcp'] : []), ...(families.has(6) ? ['dhcp6'] : [])];
  return [`ip=${nic.macAddress.replaceAll(':', '-')}:${modes.join(',')}`];
}

function installationDisk({ hardware, host }: StepContext): Disk | undefined {
  return hardware?.disks.find((disk) => isDisk(disk, host.installationDiskId));
}

/** Returns the iSCSI session of the disk, which may be a path of a multipath device. */
function iscsiSessionOf(disk: Disk, { hardware }: StepContext): Disk | undefined {
  if (disk.driveType === 'iSCSI') return disk;
  if (disk.driveType !== 'Multipath') return undefined;
  return hardware?.disks.find(
    ({ driveType, holders }) => driveType === 'iSCSI' && holders.split(',').includes(disk.name),
  );
}

/**
 * Returns the NIC of the session, which must be configured before the disk exists. Omitted when it is in the machine
 * network, because it is configured there.
 */
function iscsiNetwork(disk: Disk, context: StepContext, given: readonly string[]): readonly string[] {
  if (namesNetwork(given) || keepsBootNetwork(context) || isDay2Host(context.host)) return [];
  const address = parseIp(disk.iscsiHostIpAddress);
  const nic = context.hardware?.nics.find(
    (candidate) => address && nicAddresses(candidate).some((own) => compareIps(own.address, address) === 0),
  );
  const network = isOnIscsiOfOci(context) ? undefined : machineNetworkOf(context);
  return nic && !(network && isInNetwork(nic, network)) ? dhcpOn(nic) : [];
}

/** On OCI, the firmware configures the network together with the disk. */
function isOnIscsiOfOci(context: StepContext): boolean {
  const disk = installationDisk(context);
  return context.cluster?.externalPlatformName === 'oci' && disk !== undefined && !!iscsiSessionOf(disk, context);
}

/** Returns undefined when the text is not a JSON array of strings. */
function parseArguments(json: string): readonly string[] | undefined {
  if (!json) return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.map(String) : undefined;
  } catch {
    return undefined;
  }
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

/**
 * Returns the addresses of the other control plane hosts for the bootstrap host: those in the primary machine network,
 * or all with user-managed networking.
 */
function controlPlaneAddresses({ cluster, others }: StepContext): readonly string[] {
  const network = cluster?.userManagedNetworking ? undefined : parseCidr(cluster?.machineNetworks[0] ?? '');
  return others()
    .filter(({ role, isBootstrap }) => role === 'master' && !isBootstrap)
    .flatMap(({ hardware }) => (hardware ? addressesIn(hardware, network) : []));
}

export const stopInstallation: StepArguments = () => [];

/** The file system of an installed host, as its agent sees it: the agent runs in a container of the cluster. */
const HOST_FILE_SYSTEM = JSON.stringify({ host_fs_mount_dir: '/host' });

/** Returns the step without the URLs of the boot artifacts. The gateway adds them, because they contain tokens. */
export const downloadBootArtifacts: StepArguments = () => [HOST_FILE_SYSTEM];

export const rebootForReclaim: StepArguments = () => [HOST_FILE_SYSTEM];
