import { compareIps, parseIp } from '@muster/addresses';
import { type Disk, isDisk, type Nic } from '@muster/validation-rules';
import { isInNetwork, machineNetworkOf, nicAddresses } from './machine-network';
import { isDay2Host, type StepContext } from './step-context';

/** Extra arguments of coreos-installer. Undefined: the host could not be reached after its first boot, so it must not be installed yet. */
export function installerArguments(context: StepContext): readonly string[] | undefined {
  const given = parseArguments(context.host.installerArgs);
  if (!given) return undefined;
  const network = networkArguments(context, given);
  return network && [...given, ...network, ...diskArguments(context, given)];
}

/** How the network comes up at first boot: as it is configured now, or by DHCP on the NICs of the machine network. */
function networkArguments(context: StepContext, given: readonly string[]): readonly string[] | undefined {
  if (context.infraEnv.hasStaticNetwork) return given.includes('--copy-network') ? [] : ['--copy-network'];
  if (given.includes('--copy-network') || namesNetwork(given) || isOnIscsiOfOci(context)) return [];
  const network = machineNetworkOf(context);
  if (!network) return isDay2Host(context.host) ? [] : undefined;
  const nics = (context.hardware?.nics ?? []).filter((nic) => isInNetwork(nic, network));
  return nics.flatMap((nic) => kernelArgument(dhcpOn(nic)));
}

/** What the disk needs to be found again at boot. */
function diskArguments(context: StepContext, given: readonly string[]): readonly string[] {
  const disk = installationDisk(context);
  const iscsi = disk && iscsiBehind(disk, context);
  const needed = [
    ...(disk?.driveType === 'Multipath' ? ['rw', 'rd.multipath=default'] : []),
    ...(iscsi ? ['rd.iscsi.firmware=1', ...iscsiNetwork(iscsi, context, given)] : []),
    ...(disk?.driveType === 'RAID' ? ['rd.md=1', 'rd.auto=1'] : []),
  ];
  return needed.filter((argument) => !given.includes(argument)).flatMap(kernelArgument);
}

const kernelArgument = (argument: string): readonly string[] => ['--append-karg', argument];

/** Settings of one NIC replace the defaults of all. */
const namesNetwork = (given: readonly string[]): boolean => given.some((argument) => /(^|=)ip=/.test(argument));

function dhcpOn(nic: Nic): string {
  const families = new Set(nicAddresses(nic).map(({ family }) => family));
  const modes = [...(families.has(4) ? ['dhcp'] : []), ...(families.has(6) ? ['dhcp6'] : [])];
  return `ip=${nic.macAddress.replaceAll(':', '-')}:${modes.join(',')}`;
}

function installationDisk({ hardware, host }: StepContext): Disk | undefined {
  return hardware?.disks.find((disk) => isDisk(disk, host.installationDiskId));
}

/** The iSCSI session that the disk stands on, by itself or as a path of a multipath device. */
function iscsiBehind(disk: Disk, { hardware }: StepContext): Disk | undefined {
  if (disk.driveType === 'iSCSI') return disk;
  if (disk.driveType !== 'Multipath') return undefined;
  return hardware?.disks.find(
    ({ driveType, holders }) => driveType === 'iSCSI' && holders.split(',').includes(disk.name),
  );
}

/** The NIC of the session has to be up before there is a disk. Not said twice where it is in the machine network. */
function iscsiNetwork(disk: Disk, context: StepContext, given: readonly string[]): readonly string[] {
  if (namesNetwork(given) || isDay2Host(context.host)) return [];
  const address = parseIp(disk.iscsiHostIpAddress);
  const nic = context.hardware?.nics.find(
    (candidate) => address && nicAddresses(candidate).some((own) => compareIps(own.address, address) === 0),
  );
  const network = isOnIscsiOfOci(context) ? undefined : machineNetworkOf(context);
  return nic && !(network && isInNetwork(nic, network)) ? [dhcpOn(nic)] : [];
}

/** There the firmware hands over the network with the disk. */
function isOnIscsiOfOci(context: StepContext): boolean {
  const disk = installationDisk(context);
  return context.cluster?.externalPlatformName === 'oci' && disk !== undefined && !!iscsiBehind(disk, context);
}

/** Undefined when the text is not a list of texts. */
function parseArguments(json: string): readonly string[] | undefined {
  if (!json) return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.map(String) : undefined;
  } catch {
    return undefined;
  }
}
