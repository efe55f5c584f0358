import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { clusterDecider, type InfraEnvState } from '@muster/domain';
import {
  type IgnitionConfig,
  type IgnitionFile,
  mergeIgnition,
  MODE_READABLE,
  parseHostNetworks,
  textFile,
  toIgnitionConfig,
  TRUST_BUNDLE_PATH,
  type UnconfiguredFile,
  type UnconfiguredInput,
} from '@muster/ignition-config';
import {
  DOCUMENT_TASKS,
  DocumentWorkers,
  EVENT_STORE,
  type MusterEventStore,
  openNetworks,
  openProxy,
  openTrustBundle,
  SECRETS,
} from '@muster/nest-kit';
import { KeyedQueue, type Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { openInstallFolder } from '../toolchain/openshift-install/install-folder';
import { InstallerBinaries, type WantedInstaller } from '../toolchain/openshift-install/installer-binaries';
import { credentialsIn, runInstaller } from '../toolchain/openshift-install/make-with-installer';
import { OTHER_RUNS_SLOT } from '../toolchain/openshift-install/openshift-install-toolchain';
import { ArtifactsRefused } from '../toolchain/toolchain.port';
import { foldStream } from '../view/fold-stream';

const OUTPUT = 'unconfigured-agent.ign';
/** Starts the interactive configuration at the console of the host. */
const ASKS_AT_THE_MACHINE: IgnitionFile = {
  path: '/etc/assisted/interactive-ui',
  mode: 0o644,
  overwrite: true,
  contents: { source: 'data:,' },
};

/** Returns what the installer does not add. It gives the trust bundle only to the service of the rendezvous host. */
const additions = (trustBundle: string): IgnitionConfig => ({
  ignition: { version: '3.2.0' },
  storage: {
    files: [ASKS_AT_THE_MACHINE, ...(trustBundle ? [textFile(TRUST_BUNDLE_PATH, MODE_READABLE, trustBundle)] : [])],
  },
});

const STOPPING = {
  code: 'unavailable',
  reason: 'The service stops before the image is created. Try again in a few seconds.',
} as const;

type Release = Omit<WantedInstaller, 'pullSecret' | 'caPem' | 'mirrors'>;

/**
 * Creates the document of a disconnected image with the installer of the release. It contains keys, so it is created
 * once per input.
 */
@Injectable()
export class UnconfiguredIgnition implements BeforeApplicationShutdown {
  private readonly queue = new KeyedQueue();
  private readonly ending = new AbortController();

  constructor(
    private readonly documents: DocumentWorkers,
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
    private readonly binaries: InstallerBinaries,
  ) {}

  /** Ends the runs, and waits until they have removed their folders, which contain secrets. */
  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.queue.run(OUTPUT, () => Promise.resolve());
  }

  /** @throws RefusalError without a release image, when the service stops, or with the end of the installer's output */
  async render({ infraEnvId, settings }: InfraEnvState, pullSecret: string): Promise<IgnitionConfig> {
    const release = await this.releaseOf(settings.clusterId ?? '');
    const additionalTrustBundle = await openTrustBundle(this.secrets, infraEnvId, settings);
    const networks = await openNetworks(this.secrets, infraEnvId, settings);
    const input: UnconfiguredInput = {
      name: settings.name ?? infraEnvId,
      cpuArchitecture: settings.cpuArchitecture ?? '',
      pullSecret,
      sshAuthorizedKey: settings.sshAuthorizedKey ?? '',
      proxy: await openProxy(this.secrets, infraEnvId, settings.proxy),
      additionalNtpSources: (settings.ntpSources || settings.additionalNtpSources || '')
        .split(',')
        .map((source) => source.trim())
        .filter((source) => source !== ''),
      // Absent when empty, because existing documents have the digest of an input without it.
      ...(additionalTrustBundle && { additionalTrustBundle }),
      rendezvousIp: settings.rendezvousIp ?? '',
      staticNetworks: parseHostNetworks(networks?.staticNetworkConfig ?? '[]') ?? [],
    };
    const digest = createHash('sha256')
      .update(JSON.stringify([release.releaseImage, input]))
      .digest('hex');
    const name = `unconfigured-ignition/${digest}`;
    const known = await this.secrets.open(infraEnvId, name);
    const made = known ?? (await this.make(infraEnvId, release, input));
    if (!known) await this.secrets.seal(infraEnvId, name, made);
    return mergeIgnition(toIgnitionConfig(JSON.parse(made.toString())), additions(additionalTrustBundle));
  }

  private async make(infraEnvId: string, release: Release, input: UnconfiguredInput): Promise<Buffer> {
    const { additionalTrustBundle: caPem = '', pullSecret } = input;
    const files = await this.documents.run(DOCUMENT_TASKS.unconfiguredFiles, input);
    try {
      const wanted = { ...release, pullSecret, caPem, mirrors: [] };
      const { endUse, installer } = await this.binaries.of(wanted, undefined, this.ending.signal);
      // One run at a time, because the processes of its user are ended after each run.
      const run = () => this.runWith(installer, infraEnvId, release, files, credentialsIn(input));
      return await this.queue.run(OUTPUT, run).finally(endUse);
    } catch (error) {
      if (this.ending.signal.aborted) throw new RefusalError(STOPPING);
      if (!(error instanceof ArtifactsRefused)) throw error;
      throw new RefusalError({
        code: 'not-ready',
        reason: `The installer of the release cannot create the image: ${error.message}`,
        subject: 'image_type',
      });
    }
  }

  private async runWith(
    installer: string,
    infraEnvId: string,
    { releaseImage }: Release,
    files: readonly UnconfiguredFile[],
    secrets: readonly string[],
  ): Promise<Buffer> {
    // The run may have waited for others.
    this.ending.signal.throwIfAborted();
    const settings = this.config.openshiftInstall;
    const folder = await openInstallFolder(join(settings.workDirectory, 'unconfigured-ignition', infraEnvId));
    try {
      for (const { path, content } of files) await folder.write(path, content);
      await runInstaller({
        installer,
        command: ['agent', 'create', 'unconfigured-ignition'],
        folder,
        settings,
        slot: OTHER_RUNS_SLOT,
        variables: { OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: releaseImage },
        secrets,
        signal: this.ending.signal,
      });
      if (!(await folder.has(OUTPUT))) throw new ArtifactsRefused(`openshift-install did not create ${OUTPUT}.`);
      return Buffer.from(await folder.read(OUTPUT));
    } finally {
      await folder.remove();
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
