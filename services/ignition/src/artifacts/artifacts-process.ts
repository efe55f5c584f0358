import { type Artifact, eventCategory, parseStreamId, type Plain, STREAM_OWNERS } from '@muster/contracts';
import { type ArtifactCommand, artifactDecider, type ArtifactsState } from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
  type SavedConsumer,
} from '@muster/event-sourcing';
import type { ManifestFile } from '@muster/ignition-config';
import {
  CLOCK,
  EVENT_STORE,
  IDS,
  type MusterEventStore,
  OBJECT_STORE,
  ReactorHost,
  SAVED,
  SECRETS,
} from '@muster/nest-kit';
import {
  type Clock,
  type DownloadProgress,
  type Ids,
  type ObjectStore,
  type Secrets,
  steadyClock,
} from '@muster/ports';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { SERVICE_CA } from '../discovery/discovery-documents';
import { Manifests, ownManifests } from '../manifests/manifests';
import { ArtifactsRefused, type PreparationReport, TOOLCHAINS, type Toolchains } from '../toolchain/toolchain.port';
import { type ClusterEntry, InstallView } from '../view/install-view';
import { ArtifactVault } from './artifact-vault';
import { refuseArtifacts, toInstallRequest } from './install-request';

/** The progress of smaller layers is not reported. */
const REPORTED_BYTES_MIN = 1024 ** 2;
const STEPS = 10;
/** A slow download is reported this often, because a preparation without progress times out. */
const REPORT_MS_MAX = 60_000;

/** Command handler of the `artifact-<cluster>` streams. */
@Injectable()
export class Artifacts {
  readonly of: CommandHandler<ArtifactsState, ArtifactCommand>;

  constructor(@Inject(EVENT_STORE) eventStore: MusterEventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    const store = ownedEventStore(eventStore, 'ignition', STREAM_OWNERS);
    this.of = createCommandHandler({
      category: eventCategory('artifact'),
      decider: artifactDecider,
      store,
      clock,
      ids,
    });
  }
}

/** Context of a command that the service issues itself. Its command id makes a repeated command a no-op. */
export function ownContext(commandId: string, cause: Omit<CommandContext, 'commandId'>): CommandContext {
  return { ...cause, commandId, correlationId: cause.correlationId || commandId, actor: 'service:ignition' };
}

/**
 * Creates the artifacts of an installation when they are requested, and discards them when they are no longer wanted.
 * Steps of an attempt:
 * 1. Create and seal secrets that have another value at each creation.
 * 2. Derive all other artifacts from them and from the stream.
 * 3. Store the artifacts.
 * 4. Append the event. The artifacts of a large cluster have several events, of which the last one is the result.
 * After a crash the steps are repeated with the same result.
 */
@Injectable()
export class ArtifactsProcess implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Artifacts');
  /** Cluster → its running preparation. */
  private readonly running = new Map<string, { readonly attempt: number; readonly ending: AbortController }>();
  private isStopping = false;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TOOLCHAINS) private readonly toolchains: Toolchains,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
    @Inject(SERVICE_CA) private readonly serviceCaPem: string,
    @Inject(SAVED) private readonly saved: SavedConsumer,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly view: InstallView,
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
    private readonly manifests: Manifests,
    private readonly host: ReactorHost,
  ) {}

  onApplicationBootstrap(): void {
    this.host.start({
      name: 'ignition',
      observe: (event) => {
        this.view.observe(event);
        this.endUnwanted(parseStreamId(event.streamId).id);
      },
      keysOf: ({ streamId }) => {
        const { category, id } = parseStreamId(streamId);
        return category === 'cluster' || category === 'artifact' ? [id] : [];
      },
      react: (clusterId) => this.react(clusterId),
      openKeys: () => this.view.openClusterIds(),
      saved: this.saved,
      isOpen: (clusterId) => this.view.isOpen(clusterId),
    });
  }

  /** The next start repeats the preparations. */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const { ending } of this.running.values()) ending.abort();
  }

  private async react(clusterId: string): Promise<void> {
    const entry = this.view.cluster(clusterId);
    if (!entry || !this.view.isOpen(clusterId)) return;
    if (this.view.hasToDiscard(entry)) await this.discard(clusterId, entry);
    if (this.view.hasToPrepare(entry)) await this.prepare(clusterId, entry);
  }

  /** Ends the preparation of a cluster that was cancelled, timed out, or started again. */
  private endUnwanted(clusterId: string): void {
    const running = this.running.get(clusterId);
    if (!running) return;
    const entry = this.view.cluster(clusterId);
    const isWanted = entry && this.view.hasToPrepare(entry) && entry.state.attempt === running.attempt;
    if (!isWanted) running.ending.abort();
  }

  private async discard(clusterId: string, { discardUpTo, cause }: ClusterEntry): Promise<void> {
    const { state } = await this.artifacts.of.load(clusterId);
    if (state.outcome !== 'prepared' || state.attempt > discardUpTo) return;
    if (discardUpTo === Infinity) await this.vault.shred(clusterId);
    const all = [...state.artifacts, ...(state.kubeconfig ? [state.kubeconfig] : [])];
    const toTakeAway = discardUpTo === Infinity ? all.filter(({ sealed }) => !sealed) : all;
    const kept = discardUpTo === Infinity ? [] : this.toolchains.keptSecrets;
    await this.vault.discard(clusterId, state.attempt, toTakeAway, kept);
    await this.artifacts.of.handle(
      clusterId,
      { type: 'DiscardArtifacts', clusterId, upToAttempt: state.attempt },
      ownContext(`discard-artifacts/${clusterId}/${state.attempt}`, cause),
    );
  }

  /** Destroys what an attempt without a result has sealed. Users may repeat such attempts any number of times. */
  private async discardAttempt(
    clusterId: string,
    attempt: number,
    artifacts: readonly Plain<Artifact>[],
  ): Promise<void> {
    const { state } = await this.artifacts.of.load(clusterId);
    const { answeredAttempt = 0, discardUpTo } = this.view.cluster(clusterId) ?? {};
    // An append whose answer was lost may have recorded the result.
    if (Math.max(state.attempt, answeredAttempt) >= attempt) return;
    if (discardUpTo === Infinity) await this.vault.shred(clusterId);
    else await this.vault.discard(clusterId, attempt, artifacts, this.toolchains.keptSecrets);
  }

  private async prepare(clusterId: string, entry: ClusterEntry): Promise<void> {
    const { attempt } = entry.state;
    const { state } = await this.artifacts.of.load(clusterId);
    // An event of the cluster may make it due again while the service stops, and the stop waits for the end of the preparation.
    if (state.attempt >= attempt || this.isStopping) return;
    const context = ownContext(`prepare-artifacts/${clusterId}/${attempt}`, entry.cause);
    const ending = new AbortController();
    const artifacts: Plain<Artifact>[] = [];
    this.running.set(clusterId, { attempt, ending });
    // The cluster may have changed since it was read.
    this.endUnwanted(clusterId);
    try {
      await this.vault.discardBefore(clusterId, attempt, this.toolchains.keptSecrets);
      const order = await toInstallRequest(
        { eventStore: this.eventStore, objectStore: this.objectStore, secrets: this.secrets },
        entry,
        this.view.hostsOf(clusterId),
        this.config,
        this.serviceCaPem,
      );
      const given = await this.manifests.ofUsers(clusterId).catch(refuseArtifacts);
      const all = [...order.operatorManifests.files, ...ownManifests(order, this.config.ownManifests)];
      const own = all.filter((file) => !isGiven(given, file));
      const manifests = [...given, ...own];
      const toolchain = this.toolchains.of(order.settings.ocpReleaseImage ?? '');
      const keep = this.vault.keeperFor(clusterId, attempt);
      const report = { ...this.reportOf(clusterId, attempt, entry.cause), signal: ending.signal };
      const made = await toolchain.make({ ...order, manifests }, keep, report);
      for (const artifact of made.artifacts) artifacts.push(await this.vault.store(clusterId, attempt, artifact));
      await this.manifests.storeOwn(clusterId, own, ownContext(`own-manifests/${clusterId}/${attempt}`, entry.cause));
      const { openshiftClusterId } = made;
      const command = {
        type: 'RecordArtifacts',
        clusterId,
        attempt,
        openshiftClusterId,
        artifacts,
        toolchain: toolchain.name,
      } as const;
      await this.record(command, context);
    } catch (error) {
      const isUnwanted = ending.signal.aborted;
      if (!isUnwanted && !(error instanceof ArtifactsRefused)) throw error;
      // The next start repeats the attempt with the same secrets.
      if (this.isStopping) return;
      await this.discardAttempt(clusterId, attempt, artifacts);
      if (isUnwanted || !(error instanceof ArtifactsRefused)) return;
      const command = { type: 'RecordArtifactsFailure', clusterId, attempt, reason: error.message } as const;
      // An earlier run may have stored a part of the artifacts with the other command id.
      const own = ownContext(`fail-artifacts/${clusterId}/${attempt}`, entry.cause);
      await this.artifacts.of.handle(clusterId, command, own);
    } finally {
      this.running.delete(clusterId);
    }
  }

  /** Stores the artifacts of a large cluster in several appends. Only the last one makes them the result of the attempt. */
  private async record(
    command: ArtifactCommand & { readonly type: 'RecordArtifacts' },
    context: CommandContext,
  ): Promise<void> {
    const { clusterId, attempt } = command;
    const idOf = (part: number): string => (part === 0 ? context.commandId : `${context.commandId}#${part}`);
    let { attempt: answered } = (await this.artifacts.of.load(clusterId)).state;
    for (let part = 0; answered < attempt; part += 1) {
      const { state } = await this.artifacts.of.handle(clusterId, command, { ...context, commandId: idOf(part) });
      answered = state.attempt;
    }
  }

  /** Records the reports of the toolchain. A progress that cannot be recorded does not fail the preparation. */
  private reportOf(
    clusterId: string,
    attempt: number,
    cause: ClusterEntry['cause'],
  ): Omit<PreparationReport, 'signal'> {
    const key = `${clusterId}/${attempt}`;
    const steps = downloadSteps(this.clock);
    return {
      releaseRead: async (release) => {
        const command = { type: 'RecordRelease', clusterId, attempt, ...release } as const;
        await this.artifacts.of.handle(clusterId, command, ownContext(`release/${key}`, cause));
      },
      downloaded: (progress) => {
        const step = steps(progress);
        if (step === undefined) return;
        const { bytes: downloadedBytes, image, totalBytes } = progress;
        const command = {
          type: 'RecordReleaseDownload',
          clusterId,
          attempt,
          image,
          downloadedBytes,
          totalBytes,
        } as const;
        this.artifacts.of
          .handle(clusterId, command, ownContext(`release-download/${key}/${image}/${step}`, cause))
          .catch((error: unknown) => this.logger.warn(`The progress of a download was not recorded: ${String(error)}`));
      },
      queued: (wait) => {
        const command = { type: 'RecordQueue', clusterId, attempt, ...wait } as const;
        this.artifacts.of
          .handle(clusterId, command, ownContext(`queue/${key}/${this.clock.nowMs()}/${wait.minute}`, cause))
          .catch((error: unknown) => this.logger.warn(`A waiting preparation was not recorded: ${String(error)}`));
      },
    };
  }
}

/** Whether a manifest of a user replaces one of the service, also in the other folder: the installer uses one of the two. */
const isGiven = (given: readonly ManifestFile[], { fileName }: ManifestFile): boolean =>
  given.some((file) => file.fileName === fileName);

/** Returns the name of each new tenth of a layer, and of each minute with progress; otherwise undefined. */
export function downloadSteps(clock: Clock): (progress: DownloadProgress) => string | undefined {
  const { nowMs } = steadyClock(clock);
  const seen = new Map<string, { readonly step: number; readonly bytes: number; readonly atMs: number }>();
  return ({ image, bytes, totalBytes }) => {
    if (totalBytes < REPORTED_BYTES_MIN) return undefined;
    const layer = `${image}/${totalBytes}`;
    const step = Math.floor((bytes * STEPS) / totalBytes);
    const last = seen.get(layer);
    const isNewStep = !last || step > last.step;
    if (!isNewStep && (bytes <= last.bytes || nowMs() - last.atMs < REPORT_MS_MAX)) return undefined;
    seen.set(layer, { step, bytes, atMs: nowMs() });
    return isNewStep ? `${totalBytes}/${step}` : `${totalBytes}/${bytes} bytes`;
  };
}
