import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyedQueue } from '@muster/event-sourcing';
import type { SettingsReader } from '@muster/nest-kit';
import { ArtifactsRefused } from '../toolchain.port';
import { ProgramFailed, runProgram } from './run-program';

/** How the release's own installer is got and run. */
export interface OpenshiftInstallSettings {
  /** Used for every release; undefined: each release's own is fetched. */
  readonly installerPath: string | undefined;
  /** Fetches installers out of release images. */
  readonly ocPath: string;
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

export function readOpenshiftInstallSettings(settings: SettingsReader): OpenshiftInstallSettings {
  return {
    installerPath: settings.get('OPENSHIFT_INSTALL_PATH'),
    ocPath: settings.get('OC_PATH'),
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

const BINARY = 'openshift-install';
const MODE_PRIVATE = 0o600;
const MODE_EXECUTABLE = 0o755;

/** The installer of each release, extracted once and kept. */
export class InstallerBinaries {
  private readonly queue = new KeyedQueue();

  constructor(private readonly settings: OpenshiftInstallSettings) {}

  /** Returns the path of the installer of a release. @throws ArtifactsRefused when it cannot be extracted. */
  async of(releaseImage: string, pullSecret: string): Promise<string> {
    if (this.settings.installerPath) return this.settings.installerPath;
    if (!releaseImage)
      throw new ArtifactsRefused(
        'The cluster has no release image. Choose a version and start the installation again.',
      );
    const folder = join(this.settings.workDirectory, 'release-images', digestOf(releaseImage));
    const path = join(folder, BINARY);
    // One download per release, however many clusters ask.
    return this.queue.run(folder, async () => {
      if (!(await exists(path))) await this.fetch(releaseImage, pullSecret, folder);
      return path;
    });
  }

  /** Beside its place first: a download that is cut off leaves nothing that looks like an installer. */
  private async fetch(releaseImage: string, pullSecret: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const scratch = await mkdtemp(join(folder, 'fetch-'));
    try {
      const registryConfig = join(scratch, 'config.json');
      await writeFile(registryConfig, pullSecret, { mode: MODE_PRIVATE });
      await runProgram({
        file: this.settings.ocPath,
        args: [
          'adm',
          'release',
          'extract',
          `--registry-config=${registryConfig}`,
          `--command=${BINARY}`,
          `--to=${scratch}`,
          '--',
          releaseImage,
        ],
        folder: scratch,
        environment: { PATH: process.env.PATH ?? '', HOME: scratch, ...this.settings.proxyEnvironment },
        timeoutMs: this.settings.timeoutMs,
      });
      await chmod(join(scratch, BINARY), MODE_EXECUTABLE);
      await rename(join(scratch, BINARY), join(folder, BINARY));
    } catch (error) {
      if (!(error instanceof ProgramFailed)) throw error;
      throw new ArtifactsRefused(
        `The installer of release ${releaseImage} cannot be fetched with ${this.settings.ocPath}: ${error.message}. Check that the release exists and that the pull secret gives access to it. Then install again.`,
      );
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
