import { resolve, sep } from 'node:path';
import { BootImageError, createMinimalIso, type MinimalIso, readBootIsoLayout } from '@muster/boot-image';
import type { InfraEnvEvent } from '@muster/contracts';
import { BoundedMap, eventSubject } from '@muster/event-sourcing';
import { REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { errorCode, errorMessage, textAt } from '@muster/schema';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type ImageConfig } from '../config';
import { lacksResources } from '../remote/download-file';
import { plain, RemoteError } from '../remote/remote-client';
import type { BaseImage, HeldBaseImage } from './base-image';
import { ImageSources, type OpenedSource } from './image-sources';
import { type BaseKind, kindOf, OsImageCatalogue, type OsImageEntry } from './os-image-catalogue';

const INFRA_ENV_REGISTERED = 'InfraEnvRegistered' satisfies InfraEnvEvent['type'];

type OpenedImage = BaseImage & { close(): Promise<void> };

/** An opened image with its holders. An outdated image stays readable until its last holder has released it. */
class SharedImage {
  private holders = 0;
  private isOutdated = false;

  constructor(readonly opened: Promise<OpenedImage>) {}

  /** Returns the function that ends the use. */
  hold(): () => void {
    this.holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holders -= 1;
      this.closeUnused();
    };
  }

  /** Closes the image as soon as it has no holder. New holders need another image. */
  retire(): void {
    this.isOutdated = true;
    this.closeUnused();
  }

  /** Closes the image, also for its holders. */
  async close(): Promise<void> {
    await this.opened.then(({ close }) => close()).catch(() => undefined);
  }

  private closeUnused(): void {
    if (this.isOutdated && this.holders === 0) void this.close();
  }
}

/**
 * Number of minimal forms of one image that are cached. Each has about 100 KiB of directories. There is one per URL of
 * this service.
 */
const MINIMAL_FORMS_MAX = 8;

/** The state of one base image, with the terms of OS_IMAGES. */
export interface BaseImageStatus {
  readonly openshift_version: string;
  readonly version: string;
  readonly cpu_architecture: string;
  readonly type: BaseKind;
  readonly state: 'absent' | 'downloading' | 'ready' | 'failed';
  readonly received_bytes?: number;
  readonly total_bytes?: number;
  readonly reason?: string;
}

/** The base images of discovery images. Each is opened and checked once. */
@Injectable()
export class BaseImages implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly catalogue: OsImageCatalogue;
  /** By location of the file. Entries with the same file share its state. */
  private readonly known = new Map<string, SharedImage>();
  private infraEnvs: { unsubscribe(): void } | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    private readonly sources: ImageSources,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {
    this.catalogue = new OsImageCatalogue(config.osImages);
  }

  onApplicationBootstrap(): void {
    this.sources.onOutdated((key) => this.drop(key));
    this.infraEnvs = this.requests.subscribe(eventSubject('infraEnv'), ({ body }) => this.prefetch(body));
  }

  /**
   * Begins the download of the image of a new infra-env, so that its hosts wait less. Live copies of events may be lost; then the
   * first request for the image begins the download.
   */
  private prefetch(event: unknown): void {
    if (textAt(event, 'type') !== INFRA_ENV_REGISTERED) return;
    const setting = (name: string): string => textAt(event, 'data', 'settings', name) ?? '';
    const kind = kindOf({ type: setting('imageType') });
    const entry = this.catalogue.lookUp(setting('openshiftVersion'), setting('cpuArchitecture'), kind);
    if (entry) this.sources.prefetch(entry);
  }

  /** Returns the images that can be opened without waiting for a download. Images that cannot be used are omitted. */
  async opened(): Promise<readonly BaseImage[]> {
    const images: BaseImage[] = [];
    for (const entry of this.catalogue.entries) {
      if (!this.sources.isLocal(entry)) continue;
      const held = await this.hold(entry).catch(() => undefined);
      if (held) images.push(held.image);
      held?.release();
    }
    return images;
  }

  /**
   * `version`: of the build, or a full or partial OpenShift version.
   * @throws RefusalError `not-found`, `busy` while the image is downloaded, or the reason why it cannot be used
   */
  async find(version: string, architecture: string, kind: BaseKind = 'full-iso'): Promise<HeldBaseImage> {
    return this.hold(this.catalogue.find(version, architecture, kind));
  }

  /** Returns all images with their download progress. */
  list(): readonly BaseImageStatus[] {
    return this.catalogue.entries.map((entry) => {
      const { openshift_version, version, cpu_architecture } = entry;
      const state = this.sources.state(entry);
      return {
        openshift_version,
        version,
        cpu_architecture,
        type: kindOf(entry),
        state: state.kind,
        ...(state.kind === 'downloading' && { received_bytes: state.receivedBytes, total_bytes: state.totalBytes }),
        ...(state.kind === 'failed' && { reason: this.shown(state.reason) }),
      };
    });
  }

  /** The list and boot artifacts are public, so the names of directories replace their paths. */
  private shown(reason: string): string {
    const { imageDirectory, store } = this.config;
    return reason
      .replaceAll(store.directory, 'DATA_DIR')
      .replaceAll(`${resolve(imageDirectory)}${sep}`, `IMAGE_DIRECTORY${sep}`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.infraEnvs?.unsubscribe();
    for (const image of this.known.values()) await image.close();
  }

  private async hold(entry: OsImageEntry): Promise<HeldBaseImage> {
    const { key, open, forget, release } = await this.sources.hold(entry);
    const known = this.known.get(key) ?? new SharedImage(open().then((opened) => toBaseImage(entry, opened)));
    this.known.set(key, known);
    // Before the image is awaited, so that a replacement meanwhile does not close it.
    const releaseImage = known.hold();
    const releaseAll = (): void => {
      releaseImage();
      release();
    };
    try {
      return { image: await known.opened, release: releaseAll };
    } catch (error) {
      // A missing or damaged file may be replaced before the next request, so the failure is not cached.
      if (this.known.get(key) === known) {
        this.known.delete(key);
        if (!lacksResources(error)) forget();
      }
      releaseAll();
      throw unusable(entry, error, this.shown(errorMessage(error)));
    }
  }

  private drop(key: string): void {
    const image = this.known.get(key);
    this.known.delete(key);
    image?.retire();
  }
}

async function toBaseImage(
  entry: OsImageEntry,
  { source, digest, modifiedMs, close }: OpenedSource,
): Promise<OpenedImage> {
  try {
    const layout = await readBootIsoLayout(source);
    const minimals = new BoundedMap<string, Promise<MinimalIso>>(MINIMAL_FORMS_MAX);
    const minimal = (rootfsUrl: string): Promise<MinimalIso> => {
      const made = minimals.get(rootfsUrl) ?? createMinimalIso(source, layout, rootfsUrl);
      minimals.set(rootfsUrl, made);
      made.catch(() => minimals.delete(rootfsUrl));
      return made;
    };
    return { entry, source, layout, digest, modifiedMs, minimal, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function unusable({ openshift_version, cpu_architecture, url }: OsImageEntry, error: unknown, reason: string): unknown {
  const isKnown = error instanceof BootImageError || error instanceof RangeError || error instanceof RemoteError;
  // Errors of the operating system have a code. They may come from another realm, so `instanceof` is not used.
  if (error instanceof RefusalError || (!isKnown && errorCode(error) === undefined)) return error;
  const where = /^https?:/i.test(url) ? plain(url) : url;
  return new RefusalError({
    code: error instanceof RemoteError || lacksResources(error) ? 'busy' : 'internal',
    reason: `The base image ${openshift_version}/${cpu_architecture} (${where} in OS_IMAGES) cannot be used: ${reason}`,
    subject: 'OS_IMAGES',
  });
}
