import type { InstallRequest } from './step-work';

/** Access of the installer to the service, and the programs that it uses. */
export interface InstallerAccess {
  readonly serviceUrl: string;
  readonly agentVersion: string;
  readonly isInsecure?: boolean;
  /** File with the certificate authority of the service. */
  readonly caPath?: string;
  /**
   * This executable: its path, and its URL for other hosts of the cluster. Absent: the programs are container images.
   */
  readonly executable?: { readonly path: string; readonly url: string; readonly sha256: string };
}

/** Returns the flags of the installer: those of assisted-installer, and three of Muster for its executable. */
export function installFlags(order: InstallRequest, access: InstallerAccess): readonly string[] {
  const { executable } = access;
  const texts: readonly (readonly [string, string])[] = [
    ['role', order.role],
    ['cluster-id', order.clusterId],
    ['infra-env-id', order.infraEnvId],
    ['host-id', order.hostId],
    ['boot-device', order.bootDevice],
    ['url', access.serviceUrl],
    ['openshift-version', order.openshiftVersion],
    ['mco-image', order.mcoImage],
    ['must-gather-image', order.mustGatherImage],
    ['controller-image', order.controllerImage],
    ['agent-image', access.agentVersion],
    ['coreos-image', order.coreosImage],
    ['control-plane-count', order.controlPlaneCount > 0 ? String(order.controlPlaneCount) : ''],
    ['installer-args', order.installerArgs.length > 0 ? JSON.stringify(order.installerArgs) : ''],
    ['cacert', access.caPath ?? ''],
    ['http-proxy', order.httpProxy],
    ['https-proxy', order.httpsProxy],
    ['no-proxy', order.noProxy],
    ['service-ips', order.serviceIps.join(',')],
    ['host-binary-path', executable?.path ?? ''],
    ['host-binary-url', executable?.url ?? ''],
    ['host-binary-sha256', executable?.sha256 ?? ''],
  ];
  const switches: readonly (readonly [string, boolean])[] = [
    ['insecure', access.isInsecure === true],
    ['check-cluster-version', order.checksClusterVersion],
    ['skip-installation-disk-cleanup', order.skipsDiskCleanup],
    ['enable-skip-mco-reboot', order.skipsMcoReboot],
    ['notify-num-reboots', order.notifiesReboots],
  ];
  return [
    ...texts.filter(([, value]) => value !== '').flatMap(([name, value]) => [`--${name}`, value]),
    ...order.disksToFormat.flatMap((disk) => ['--format-disk', disk]),
    ...switches.filter(([, isOn]) => isOn).map(([name]) => `--${name}`),
  ];
}
