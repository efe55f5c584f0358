import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clusterDecider, type InfraEnvState } from '@muster/domain';
import {
  type IgnitionConfig,
  mergeIgnition,
  parseHostNetworks,
  toIgnitionConfig,
  unconfiguredFiles,
  type UnconfiguredInput,
} from '@muster/ignition-config';
import { EVENT_STORE, type MusterEventStore, openNetworks, openProxy, SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { InstallerBinaries, type WantedInstaller } from '../toolchain/openshift-install/installer-binaries';
import { ProgramFailed, runProgram } from '../toolchain/openshift-install/run-program';
import { ArtifactsRefused } from '../toolchain/toolchain.port';
import { foldStream } from '../view/fold-stream';

const OUTPUT = 'unconfigured-agent.ign';
const MODE_PRIVATE = 0o600;
/** Starts the interactive configuration at the console of the host. */
const ASKS_AT_THE_MACHINE: IgnitionConfig = {
  ignition: { version: '3.2.0' },
  storage: {
    files: [{ path: '/etc/assisted/interactive-ui', mode: 0o644, overwrite: true, contents: { source: 'data:,' } }],
  },
};

type Release = Omit<WantedInstaller, 'pullSecret' | 'caPem' | 'mirrors'>;

/**
 * Creates the document of a disconnected image with the installer of the release. It contains keys, so it is created
 * once per input.
 */
@Injectable()
export class UnconfiguredIgnition {
  private readonly binaries: InstallerBinaries;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
  ) {
    this.binaries = new InstallerBinaries(config.openshiftInstall);
  }

  /** @throws RefusalError without a release image, or with the end of the installer's output */
  async render({ infraEnvId, settings }: InfraEnvState, pullSecret: string): Promise<IgnitionConfig> {
    const release = await this.releaseOf(settings.clusterId ?? '');
    const networks = await openNetworks(this.secrets, infraEnvId, settings);
    const input: UnconfiguredInput = {
      name: settings.name ?? infraEnvId,
      cpuArchitecture: settings.cpuArchitecture ?? '',
      pullSecret,
      sshAuthorizedKey: settings.sshAuthorizedKey ?? '',
      proxy: await openProxy(this.secrets, infraEnvId, settings.proxy),
      additionalNtpSources: (settings.additionalNtpSources ?? '').split(',').filter((source) => source.trim() !== ''),
      rendezvousIp: settings.rendezvousIp ?? '',
      staticNetworks: parseHostNetworks(networks?.staticNetworkConfig ?? '[]') ?? [],
    };
    const digest = createHash('sha256')
      .update(JSON.stringify([release.releaseImage, input]))
      .digest('hex');
    const name = `unconfigured-ignition/${digest}`;
    const known = await this.secrets.open(infraEnvId, name);
    const made = known ?? (await this.make(release, input, settings.additionalTrustBundle ?? ''));
    if (!known) await this.secrets.seal(infraEnvId, name, made);
    return mergeIgnition(toIgnitionConfig(JSON.parse(made.toString())), ASKS_AT_THE_MACHINE);
  }

  private async make(release: Release, input: UnconfiguredInput, caPem: string): Promise<Buffer> {
    const { workDirectory, timeoutMs, proxyEnvironment } = this.config.openshiftInstall;
    await mkdir(workDirectory, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(workDirectory, 'unconfigured-'));
    try {
      for (const { path, content } of unconfiguredFiles(input)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content, { mode: MODE_PRIVATE });
      }
      await runProgram({
        file: (await this.binaries.of({ ...release, pullSecret: input.pullSecret, caPem, mirrors: [] })).installer,
        args: ['agent', 'create', 'unconfigured-ignition', '--dir', folder],
        folder,
        environment: {
          PATH: process.env.PATH ?? '',
          HOME: folder,
          TMPDIR: folder,
          ...proxyEnvironment,
          OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: release.releaseImage,
        },
        timeoutMs,
      });
      return await readFile(join(folder, OUTPUT));
    } catch (error) {
      if (!(error instanceof ProgramFailed) && !(error instanceof ArtifactsRefused)) throw error;
      throw new RefusalError({
        code: 'not-ready',
        reason: `The installer of the release cannot create the image: ${error.message}`,
        subject: 'image_type',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async releaseOf(clusterId: string): Promise<Release> {
    const cluster = clusterId && (await foldStream(this.eventStore, 'cluster', clusterId, clusterDecider));
    const { ocpReleaseImage, openshiftVersion = '', installConfigOverrides } = cluster ? cluster.state.settings : {};
    if (ocpReleaseImage)
      return { releaseImage: ocpReleaseImage, openshiftVersion, isFips: installConfigOverrides?.isFips ?? false };
    throw new RefusalError({
      code: 'not-found',
      reason:
        'The infra-env is not bound to a cluster with a release image, which a disconnected image needs. Register a cluster with POST /v2/clusters/disconnected and bind the infra-env to it.',
      subject: 'cluster_id',
    });
  }
}
