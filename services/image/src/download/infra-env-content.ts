import { randomUUID } from 'node:crypto';
import { RANGE_CHUNK_BYTES } from '@muster/boot-image';
import { IgnitionService, isEventOf, streamIdOf } from '@muster/contracts';
import { infraEnvDecider, readKernelArguments } from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { callService, CLOCK, EVENT_STORE, type MusterEventStore, REQUESTS } from '@muster/nest-kit';
import { type Clock, NO_STREAM, type Requests } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';

/** The content that an infra-env adds to a base image. */
export interface InfraEnvContent {
  readonly config: Uint8Array;
  readonly appendKargs: readonly string[];
  /** Empty when there is none, or when it was not requested. */
  readonly networkRamdisk: Uint8Array;
  /** Time of the last change of any part, in milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Time of the last change of the infra-env, in milliseconds since the epoch. Renewed tokens are no change. */
  readonly changedMs: number;
}

/** Content that was rendered for a revision of the infra-env. */
interface KeptContent {
  readonly revision: number;
  readonly content: InfraEnvContent;
  readonly renderedAtMs: number;
  /** Content is rendered again from this time on, because tokens in it are renewed. */
  readonly untilMs: number;
}

/** About 100 KiB per image of an infra-env, more with a network ramdisk. */
const KEPT_BYTES_MAX = 16 * 1024 ** 2;
const KEPT_MS = 60_000;
/** How long content is used while the ignition service does not answer. Its tokens are valid for longer. */
const KEPT_IN_OUTAGE_MS = 3_600_000;
const OUTAGES: ReadonlySet<ProblemCode> = new Set(['busy', 'unavailable']);
/** Number of infra-envs whose settings are kept. */
const KEPT_SETTINGS_MAX = 500;

/** The ignition service continues meanwhile, and a later request gets the document. */
const INSTALLER_HINT =
  'The first download of a disconnected image needs the installer of the release, which may be downloaded for minutes. Retry later.';

@Injectable()
export class InfraEnvContents {
  /** Virtual media reads an image in many ranges. Without kept content, each of them would ask the ignition service. */
  private readonly kept = new BoundedMap<string, KeptContent>(KEPT_BYTES_MAX);
  /** Content that is being rendered, by its key and the revision. Machines that boot concurrently wait for the same content. */
  private readonly rendering = new Map<string, Promise<InfraEnvContent>>();
  /** Each range reads only the events since the last one: a long history would be parsed thousands of times per boot. */
  private readonly settings = new BoundedMap<string, ReadSettings>(KEPT_SETTINGS_MAX);

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * `isoType` determines the content of the document.
   * @throws RefusalError when an input is unknown or cannot be used
   */
  async of(infraEnvId: string, isoType: string, withNetwork: boolean): Promise<InfraEnvContent> {
    // Read first: content that is rendered afterwards is not older than this revision.
    const settings = await this.settingsOf(infraEnvId);
    const key = `${infraEnvId}/${isoType}/${withNetwork}`;
    const kept = this.kept.get(key);
    if (kept && kept.revision === settings.revision && this.clock.nowMs() < kept.untilMs) return kept.content;
    const { revision } = settings;
    const renderKey = `${key}/${revision}`;
    const { content, renderedAtMs } = await (
      this.rendering.get(renderKey) ??
      this.renderOnce(renderKey, () => this.render(infraEnvId, isoType, withNetwork, settings))
    ).then(
      (rendered) => ({ content: rendered, renderedAtMs: this.clock.nowMs() }),
      // A machine that boots from virtual media fails with a refused range, and a restart of a service does not change the image.
      (error: unknown) => {
        const isOutage = error instanceof RefusalError && OUTAGES.has(error.refusal.code);
        if (!isOutage || kept?.revision !== revision) throw error;
        if (this.clock.nowMs() >= kept.renderedAtMs + KEPT_IN_OUTAGE_MS) throw error;
        return kept;
      },
    );
    // The image that is made from the content contains a copy of the config and its first chunk.
    const bytes = 2 * content.config.length + content.networkRamdisk.length + RANGE_CHUNK_BYTES;
    const untilMs = this.clock.nowMs() + KEPT_MS;
    if (revision > NO_STREAM) this.kept.set(key, { revision, content, renderedAtMs, untilMs }, bytes);
    return content;
  }

  private renderOnce(renderKey: string, render: () => Promise<InfraEnvContent>): Promise<InfraEnvContent> {
    const rendering = render().finally(() => this.rendering.delete(renderKey));
    this.rendering.set(renderKey, rendering);
    return rendering;
  }

  private async render(
    infraEnvId: string,
    isoType: string,
    withNetwork: boolean,
    settings: ReadSettings,
  ): Promise<InfraEnvContent> {
    const [document, networkRamdisk] = await Promise.all([
      this.documentOf(infraEnvId, isoType),
      withNetwork ? this.networkRamdiskOf(infraEnvId) : new Uint8Array(),
    ]);
    const read = readKernelArguments(settings.state.settings.kernelArguments ?? '');
    if ('refusal' in read) throw new RefusalError(read.refusal);
    return {
      config: Buffer.from(document.ignition, 'base64'),
      appendKargs: read.kernelArguments,
      networkRamdisk,
      modifiedMs: Math.max(Date.parse(document.generatedAt) || 0, settings.changedMs),
      changedMs: settings.changedMs,
    };
  }

  private async networkRamdiskOf(infraEnvId: string): Promise<Uint8Array> {
    const method = IgnitionService.method.renderNetworkRamdisk;
    const { archive } = await callService(this.requests, method, { infraEnvId }, commandContext()).catch(
      (error: unknown) => explainBusy(error, 'Retry later.'),
    );
    return Buffer.from(archive, 'base64');
  }

  private documentOf(infraEnvId: string, isoType: string) {
    const method = IgnitionService.method.renderDiscoveryIgnition;
    const input = { infraEnvId, isoType, withoutSecrets: false };
    return callService(this.requests, method, input, commandContext()).catch((error: unknown) =>
      explainBusy(error, isoType === 'disconnected-iso' ? INSTALLER_HINT : 'Retry later.'),
    );
  }

  /** All changes count, because the date of the document does not include kernel arguments and network files. */
  private async settingsOf(infraEnvId: string): Promise<ReadSettings> {
    const known = this.settings.get(infraEnvId);
    let { state, changedMs, revision } = known ?? {
      state: infraEnvDecider.initialState(),
      changedMs: 0,
      revision: NO_STREAM,
    };
    for await (const page of this.eventStore.readStream(streamIdOf('infraEnv', infraEnvId), revision))
      for (const event of page) {
        if (isEventOf('infraEnv', event)) state = infraEnvDecider.evolve(state, event);
        changedMs = Math.max(changedMs, Date.parse(event.metadata.occurredAt) || 0);
        revision = event.revision;
      }
    const read = { state, changedMs, revision };
    if (revision > NO_STREAM) this.settings.set(infraEnvId, read);
    return read;
  }
}

/** `revision` of the stream of the infra-env. */
interface ReadSettings {
  readonly state: ReturnType<typeof infraEnvDecider.initialState>;
  readonly changedMs: number;
  readonly revision: number;
}

/** A download changes nothing, so its refusal does not state that the outcome is unknown. */
function explainBusy(error: unknown, remedy: string): never {
  if (!(error instanceof RefusalError) || error.refusal.code !== 'busy') throw error;
  const [what = ''] = error.refusal.reason.split('. ', 1);
  throw new RefusalError({ code: 'busy', reason: `${what.replace(/\.$/, '')}. ${remedy}` });
}

function commandContext() {
  const commandId = randomUUID();
  return { commandId, correlationId: commandId, actor: 'service:image' };
}
