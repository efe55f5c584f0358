import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { extractInstaller, type InstallerKind, ociImageRegistry, parsePullSecret } from '@muster/adapter-oci-registry';
import { KeyedQueue } from '@muster/event-sourcing';
import { isAtLeast } from '@muster/feature-support';
import { createSendHttp, readProxySettings } from '@muster/host-api';
import type { SettingsReader } from '@muster/nest-kit';
import { type DownloadProgress, type ImageRegistry, ImageRegistryError } from '@muster/ports';
import { Logger } from '@nestjs/common';
import type { ServiceRegistries } from '../../service-registries';
import { ArtifactsRefused } from '../toolchain.port';

/** How the release's own installer is got and run. */
export interface OpenshiftInstallSettings {
  /** Used for every release; undefined: each release's own is fetched. */
  readonly installerPath: string | undefined;
  /** The registries that releases are read from. */
  readonly registries: ServiceRegistries;
  /** Where installers are kept and installations are made; only this service may read it. */
  readonly workDirectory: string;
  /** Folder with certificates and keys that clusters get instead of generated ones. */
  readonly certificatesDirectory: string | undefined;
  readonly timeoutMs: number;
  /** User and group id of the installer where the service runs as root. */
  readonly installerUserId: number;
  readonly installerMemoryBytes: number;
  readonly proxyEnvironment: { readonly [name: string]: string };
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

export function readOpenshiftInstallSettings(
  settings: SettingsReader,
  registries: ServiceRegistries,
): OpenshiftInstallSettings {
  return {
    installerPath: settings.get('OPENSHIFT_INSTALL_PATH'),
    registries,
    workDirectory: settings.get('WORK_DIR') ?? join(tmpdir(), 'muster-ignition'),
    certificatesDirectory: settings.get('EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR'),
    timeoutMs: settings.get('OPENSHIFT_INSTALL_TIMEOUT'),
    installerUserId: settings.get('OPENSHIFT_INSTALL_USER_ID'),
    installerMemoryBytes: settings.get('OPENSHIFT_INSTALL_MEMORY_MAX'),
    proxyEnvironment: Object.fromEntries(
      PROXY_VARIABLES.flatMap((name): [string, string][] => {
        const value = settings.get(name);
        return value ? [[name, value]] : [];
      }),
    ),
  };
}

/** What a release is asked for. */
export interface WantedInstaller {
  readonly releaseImage: string;
  readonly pullSecret: string;
  readonly openshiftVersion: string;
  readonly isFips: boolean;
}

/** From here on the standard installer installs bare metal too. */
const STANDARD_INSTALLER_SINCE = '4.16';

/** Before 4.16, and with FIPS, clusters on bare metal need the installer that is linked against the libraries of RHEL. */
export const installerKindOf = ({ openshiftVersion, isFips }: WantedInstaller): InstallerKind =>
  isFips || !isAtLeast(openshiftVersion, STANDARD_INSTALLER_SINCE) ? 'baremetal' : 'standard';

/** Opens the registries with the credentials of a pull secret. */
export type OpenRegistries = (
  pullSecret: string,
  onProgress: (progress: DownloadProgress) => void,
) => Promise<ImageRegistry>;

const CACHE_BYTES_MAX = 8 * 1024 ** 3;
const DOWNLOAD_TIMEOUT_MS = 60 * 60_000;
/** Steps of the log about a download. */
const PROGRESS_STEP_BYTES = 64 * 1024 ** 2;
const MIB = 1024 ** 2;
/** Node's name of an architecture → the one of images. The installer runs on the machine of the service. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([['x64', 'amd64']]);

/** The installer of each release, read from its registry or a mirror. Layers and installers are kept in a bounded cache. */
export class InstallerBinaries {
  private readonly queue = new KeyedQueue();
  private readonly logger = new Logger('Releases');

  constructor(
    private readonly settings: OpenshiftInstallSettings,
    private readonly open: OpenRegistries = openRegistries(settings),
  ) {}

  /** Returns the path of the installer of a release. @throws ArtifactsRefused that names image, registry and reason. */
  async of(wanted: WantedInstaller): Promise<string> {
    if (this.settings.installerPath) return this.settings.installerPath;
    const { releaseImage, pullSecret } = wanted;
    if (!releaseImage)
      throw new ArtifactsRefused(
        'The cluster has no release image. Choose a version and start the installation again.',
      );
    // One download at a time, however many clusters ask: releases share layers.
    return this.queue.run('download', async () => {
      try {
        const registry = await this.open(pullSecret, this.progressLog());
        const architecture = ARCHITECTURES.get(process.arch) ?? process.arch;
        const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
        return await extractInstaller(registry, releaseImage, architecture, installerKindOf(wanted), signal);
      } catch (error) {
        if (!(error instanceof ImageRegistryError || error instanceof RangeError)) throw error;
        throw new ArtifactsRefused(
          `The installer of release ${releaseImage} cannot be read: ${error.message}. Check that the release exists and that the pull secret gives access to it, and start the installation again.`,
        );
      }
    });
  }

  private progressLog(): (progress: DownloadProgress) => void {
    const logged = new Map<string, number>();
    return ({ image, bytes, totalBytes }) => {
      const key = `${image} ${totalBytes}`;
      const step = Math.floor(bytes / PROGRESS_STEP_BYTES);
      if (step === 0 || step === logged.get(key)) return;
      logged.set(key, step);
      this.logger.log(
        `A layer of ${image}: ${Math.round(bytes / MIB)} of ${Math.round(totalBytes / MIB)} MiB downloaded.`,
      );
    };
  }
}

/** Mirrors, certificate authorities and proxies are those of the service. */
function openRegistries({ registries, workDirectory, proxyEnvironment }: OpenshiftInstallSettings): OpenRegistries {
  const { send } = createSendHttp({
    caPem: registries.settings?.caPem,
    proxy: readProxySettings(proxyEnvironment),
  });
  return (pullSecret, onProgress) =>
    ociImageRegistry({
      send,
      pullSecret: parsePullSecret(pullSecret),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      random: Math.random,
      mirrors: registries.mirrors,
      cacheDirectory: join(workDirectory, 'release-images'),
      cacheBytesMax: CACHE_BYTES_MAX,
      onProgress,
    });
}
