export type InstallRole = 'bootstrap' | 'master' | 'worker' | 'arbiter';

/** A program that a container image brings, or this executable itself. */
export type ProgramSource =
  | { readonly kind: 'container'; readonly image: string }
  /** `path`: where it is on this host. `url`, `sha256`: where another host gets it. */
  | { readonly kind: 'executable'; readonly path: string; readonly url: string; readonly sha256: string };

/** One installation, as the install step orders it. Empty text and empty list: not given. */
export interface InstallerSettings {
  readonly role: InstallRole;
  readonly clusterId: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly bootDevice: string;
  /** `http://host:port` of the service. */
  readonly serviceUrl: string;
  readonly token: string;
  readonly isInsecure: boolean;
  /** File with the certificate authority of the service. */
  readonly caPath: string;
  readonly openshiftVersion: string;
  readonly mcoImage: string;
  /** Image reference, or a JSON object of image references by operator. */
  readonly mustGatherImage: string;
  /** Runs in the new cluster. */
  readonly controller: ProgramSource;
  /** Sends the logs of this host. */
  readonly logSender: ProgramSource;
  /** Installs onto the file system that the host runs from, with this image. */
  readonly coreosImage: string;
  /** 0 for workers. */
  readonly controlPlaneCount: number;
  readonly checksClusterVersion: boolean;
  readonly skipsDiskCleanup: boolean;
  readonly skipsMcoReboot: boolean;
  readonly notifiesReboots: boolean;
  readonly formatDisks: readonly string[];
  /** Arguments of coreos-installer besides those of the installation. */
  readonly installerArgs: readonly string[];
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /** Addresses of the service for the controller, by the name assisted-api.local.openshift.io. */
  readonly serviceIps: readonly string[];
}

/** Environment of child commands that use the network. */
export function proxyEnvironment(settings: InstallerSettings): { readonly [name: string]: string } {
  const given = { HTTP_PROXY: settings.httpProxy, HTTPS_PROXY: settings.httpsProxy, NO_PROXY: settings.noProxy };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== '')
      .flatMap(([name, value]) => [
        [name, value],
        [name.toLowerCase(), value],
      ]),
  );
}
