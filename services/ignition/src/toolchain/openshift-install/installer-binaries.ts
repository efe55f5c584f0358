import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  blobCache,
  extractInstaller,
  type InstallerKind,
  type MirrorRule,
  ociImageRegistry,
  parsePullSecret,
  readCoreosVersion,
  readRelease,
} from '@muster/adapter-oci-registry';
import { DEFAULT_RELEASE_IMAGES, type ReleaseImage, VersionCatalogue } from '@muster/assisted-api';
import { isAtLeast } from '@muster/feature-support';
import { createSendHttp, readProxySettings } from '@muster/host-api';
import { usableMirrors } from '@muster/ignition-config';
import type { SettingsReader } from '@muster/nest-kit';
import { type DownloadProgress, type ImageRegistry, ImageRegistryError, type RegistryFault } from '@muster/ports';
import { errorMessage } from '@muster/schema';
import { Logger } from '@nestjs/common';
import type { ServiceRegistries } from '../../service-registries';
import { ArtifactsRefused, type ReadRelease } from '../toolchain.port';
import { createOwnFolder } from './install-folder';

/** How the installer of a release is obtained and run. */
export interface OpenshiftInstallSettings {
  /** Path of an installer for all releases. Undefined: the installer is read from each release. */
  readonly installerPath: string | undefined;
  /** The releases of the catalogue. */
  readonly releases: readonly ReleaseImage[];
  /** Registries from which releases are read. */
  readonly registries: ServiceRegistries;
  /** Folder of installers and installations. Only this service may read it. */
  readonly workDirectory: string;
  /** Folder with certificates and keys that replace generated ones. */
  readonly certificatesDirectory: string | undefined;
  readonly timeoutMs: number;
  /** User and group id of the installer where the service runs as root. */
  readonly installerUserId: number;
  readonly installerMemoryBytes: number;
  readonly proxyEnvironment: { readonly [name: string]: string };
}

const temporaryFolder = (): string => join(tmpdir(), 'muster-ignition');
const DIGEST_CHARACTERS = 16;

/** Two installations of one user have two directories: each one writes partial downloads and removes unused files. */
function temporaryWorkDirectory(dataDirectory: string): string {
  const digest = createHash('sha256').update(resolve(dataDirectory)).digest('hex');
  return join(temporaryFolder(), digest.slice(0, DIGEST_CHARACTERS));
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

export function readOpenshiftInstallSettings(
  settings: SettingsReader,
  registries: ServiceRegistries,
): OpenshiftInstallSettings {
  return {
    installerPath: settings.get('OPENSHIFT_INSTALL_PATH'),
    releases: settings.get('RELEASE_IMAGES') ?? DEFAULT_RELEASE_IMAGES,
    registries,
    workDirectory: settings.get('WORK_DIR') ?? temporaryWorkDirectory(settings.get('MUSTER_DATA_DIRECTORY')),
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

/** Properties of a release that determine its installer. */
export interface WantedInstaller {
  readonly releaseImage: string;
  readonly pullSecret: string;
  readonly openshiftVersion: string;
  readonly isFips: boolean;
  /** Certificate authorities of the site, in addition to those of the service. */
  readonly caPem: string;
  /** Mirrors in the install-config and the manifests of the cluster. They are tried before those of the service. */
  readonly mirrors: readonly MirrorRule[];
}

/** An installer that can be executed. `release` is absent when OPENSHIFT_INSTALL_PATH names the installer. */
export interface FoundInstaller {
  readonly installer: string;
  readonly release?: ReadRelease;
  /** Ends the use of the installer. The cache may remove it from then on. */
  endUse?(): void;
}

/** From this version the standard installer supports bare metal. */
const STANDARD_INSTALLER_SINCE = '4.16';

/** Before 4.16, and with FIPS, clusters on bare metal need the installer that is linked against the libraries of RHEL. */
export const installerKindOf = ({
  openshiftVersion,
  isFips,
}: Pick<WantedInstaller, 'openshiftVersion' | 'isFips'>): InstallerKind =>
  isFips || !isAtLeast(openshiftVersion, STANDARD_INSTALLER_SINCE) ? 'baremetal' : 'standard';

type OnProgress = (progress: DownloadProgress) => void;

/** Opens the registries with the credentials of a pull secret. Files that were read stay in the cache until `endUse`. */
export type OpenRegistries = (
  wanted: Pick<WantedInstaller, 'pullSecret' | 'caPem' | 'mirrors'>,
  onProgress: OnProgress,
) => Promise<ImageRegistry & { close?(): void; endUse?(): void }>;

const CACHE_BYTES_MAX = 8 * 1024 ** 3;
/** Interval of log lines about a download. */
const PROGRESS_STEP_BYTES = 64 * 1024 ** 2;
const MIB = 1024 ** 2;
const MS_PER_SECOND = 1_000;
/** Node's name of an architecture → its name in the v2 API. */
const NODE_ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x64', 'x86_64'],
  ['ppc64', 'ppc64le'],
]);
/** The installer runs on the machine of the service. */
const OWN_ARCHITECTURE = NODE_ARCHITECTURES.get(process.arch) ?? process.arch;
/** Names of an architecture in the v2 API → its name in images. */
const IMAGE_ARCHITECTURES: ReadonlyMap<string, string> = new Map([['x86_64', 'amd64']]);
/** Names of an architecture in the v2 API → its name in CoreOS. */
const COREOS_ARCHITECTURES: ReadonlyMap<string, string> = new Map([['arm64', 'aarch64']]);
const inImages = (architecture: string): string => IMAGE_ARCHITECTURES.get(architecture) ?? architecture;

/**
 * The installer of each release, read from its registry or a mirror. Layers and installers are kept in a bounded cache, which only one
 * instance may use.
 */
export class InstallerBinaries {
  private readonly logger = new Logger('Releases');
  private readonly log = this.progressLog();

  constructor(
    private readonly settings: OpenshiftInstallSettings,
    private readonly open: OpenRegistries = openRegistries(settings),
  ) {}

  /**
   * Returns the installer of a release and the metadata of the release. Reads that wait for the download of another one receive its
   * progress. The caller ends the use of the installer.
   * @throws ArtifactsRefused with image, registry, reason and remedy, or when another user owns the default of WORK_DIR
   */
  async of(
    wanted: WantedInstaller,
    onProgress: OnProgress = () => undefined,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<FoundInstaller> {
    const { installerPath, workDirectory } = this.settings;
    if ([workDirectory, dirname(workDirectory)].includes(temporaryFolder()))
      for (const path of new Set([temporaryFolder(), workDirectory])) await createOwnFolder(path);
    if (installerPath) return { installer: installerPath };
    const { releaseImage } = wanted;
    if (!releaseImage)
      throw new ArtifactsRefused(
        'The cluster has no release image. Choose a version and start the installation again.',
      );
    const { refused, usable } = usableMirrors(wanted.mirrors, this.settings.registries.permittedMirrors);
    const notUsed = refused.length > 0 ? ` ${notUsedText(refused)}` : '';
    if (notUsed) this.logger.warn(`Release ${releaseImage}:${notUsed}`);
    try {
      const report: OnProgress = (progress) => {
        this.log(progress);
        onProgress(progress);
      };
      return await this.read({ ...wanted, mirrors: usable }, report, signal);
    } catch (error) {
      const remedy = error instanceof ImageRegistryError ? remedyOf(error) : 'Check WORK_DIR and the pull secret';
      throw new ArtifactsRefused(
        `The installer of release ${releaseImage} cannot be read: ${errorMessage(error).replace(/\.$/, '')}. ${remedy}, and start the installation again.${notUsed}`,
      );
    }
  }

  private async read(wanted: WantedInstaller, onProgress: OnProgress, signal: AbortSignal): Promise<FoundInstaller> {
    const { releaseImage } = wanted;
    const startedAt = new Date().toISOString();
    const registry = await this.open(wanted, onProgress);
    try {
      const { architecture, installerImage } = this.sourcesOf(releaseImage);
      const release = await readRelease(registry, releaseImage, inImages(architecture), signal);
      const imageOf = (component: string): string => release.images.get(component) ?? '';
      const [kind, coreos] = [installerKindOf(wanted), COREOS_ARCHITECTURES.get(architecture) ?? architecture];
      const own = inImages(OWN_ARCHITECTURE);
      const executed =
        installerImage === releaseImage ? release : await readRelease(registry, installerImage, own, signal);
      const extractionStartedMs = performance.now();
      const installer = await extractInstaller(registry, executed, installerImage, own, kind, signal);
      const extractMs = performance.now() - extractionStartedMs;
      return {
        installer: installer.path,
        endUse: () => registry.endUse?.(),
        release: {
          releaseImage,
          version: release.version,
          machineConfigOperatorImage: imageOf('machine-config-operator'),
          mustGatherImage: imageOf('must-gather'),
          // The second name is that of community releases.
          coreosImage: imageOf('rhel-coreos') || imageOf('stream-coreos'),
          coreosVersion: await readCoreosVersion(registry, releaseImage, inImages(architecture), coreos, signal),
          startedAt,
          installerWasCached: installer.wasCached,
          extractSeconds: installer.wasCached ? 0 : extractMs / MS_PER_SECOND,
        },
      };
    } catch (error) {
      registry.endUse?.();
      throw error;
    } finally {
      registry.close?.();
    }
  }

  /**
   * Returns the architecture for which a release image is read, and the release image with an installer that this machine
   * can execute: as in assisted-service v2, that of the same version for the architecture of the service, or for several.
   */
  private sourcesOf(releaseImage: string): { readonly architecture: string; readonly installerImage: string } {
    const catalogue = new VersionCatalogue(this.settings.releases, []);
    const release = catalogue.releases.find(({ url }) => url === releaseImage);
    if (!release || ['multi', OWN_ARCHITECTURE].includes(release.cpu_architecture))
      return { architecture: OWN_ARCHITECTURE, installerImage: releaseImage };
    const executable = catalogue.findRelease(release.version, OWN_ARCHITECTURE);
    return { architecture: release.cpu_architecture, installerImage: executable?.url ?? releaseImage };
  }

  /** Logs each step once, also when several reads wait for the download. */
  private progressLog(): OnProgress {
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

const MIRRORS_SHOWN_MAX = 3;
const MIRROR_CHARS_MAX = 128;

const notUsedText = (mirrors: readonly string[]): string => {
  const names = mirrors.slice(0, MIRRORS_SHOWN_MAX).map((mirror) => JSON.stringify(mirror.slice(0, MIRROR_CHARS_MAX)));
  return `Mirrors of the cluster that ALLOWED_RELEASE_REGISTRIES does not permit were not used: ${names.join(', ')}.`;
};

const remedyOf = ({ fault, registry }: ImageRegistryError): string => REMEDIES[fault](registry);

const REMEDIES: { readonly [fault in RegistryFault]: (registry: string) => string } = {
  credentials: (registry) => `Add credentials for ${registry} to the pull secret of the cluster`,
  missing: () => 'Check the release image and, with a mirror, that the mirror has it',
  busy: (registry) => `Wait until ${registry} accepts requests again, or use a mirror`,
  failing: (registry) => `Check ${registry}, or use a mirror`,
  unreachable: (registry) => `Check that the service reaches ${registry}, and its proxy (HTTPS_PROXY)`,
  certificate: (registry) =>
    `Add the certificate authority of ${registry} with MIRROR_REGISTRIES_CA_PATH or additional_trust_bundle, and check the clock of the service`,
  corrupt: (registry) => `Check the copy in ${registry}: delete it there and push the release again`,
  content: () => 'Choose a release that has an installer for bare metal, or set OPENSHIFT_INSTALL_PATH',
  disk: () => 'Free disk space in WORK_DIR and check that the service may write to it',
};

/** Proxies are those of the service. */
function openRegistries({ registries, workDirectory, proxyEnvironment }: OpenshiftInstallSettings): OpenRegistries {
  const cache = blobCache(join(workDirectory, 'release-images'), CACHE_BYTES_MAX);
  return async ({ pullSecret, caPem, mirrors }, onProgress) => {
    const { send, close } = createSendHttp({
      caPem: [registries.settings?.caPem, caPem].filter(Boolean).join('\n') || undefined,
      proxy: readProxySettings(proxyEnvironment),
    });
    const held = cache.holding();
    const registry = await ociImageRegistry({
      send,
      pullSecret: parsePullSecret(pullSecret),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      random: Math.random,
      nowMs: () => performance.now(),
      mirrors: [...mirrors, ...registries.mirrors],
      cache: held.cache,
      onProgress,
    });
    return { ...registry, close, endUse: held.release };
  };
}
