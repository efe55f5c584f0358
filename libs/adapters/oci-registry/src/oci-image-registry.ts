import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  abortAfter,
  type DownloadProgress,
  type ImageManifest,
  type ImageRegistry,
  ImageRegistryError,
  type RegistryFault,
} from '@muster/ports';
import { type BlobCache, CacheFailure, type Reading, WrongContent } from './blob-cache';
import { type ImageReference, type MirrorRule, parseImageReference, placesOf } from './image-reference';
import { createRegistryClient, readText, type RegistryClientOptions, SILENCE_MS_MAX } from './registry-client';
import { extractFromLayer, type FoundLink, resolveLink } from './tar-entries';

export interface OciImageRegistryOptions extends RegistryClientOptions {
  readonly mirrors: readonly MirrorRule[];
  /** Reads that share a cache read each image once. */
  readonly cache: BlobCache;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

const LISTS = ['application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json'];
const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const ACCEPT = [...LISTS, ...MANIFESTS].join(', ');
const MANIFEST_CHARS_MAX = 8 * 1024 * 1024;
const RESUMES_MAX = 5;
/** A manifest is small. */
const MANIFEST_MS_MAX = 5 * 60_000;
const LAYER_MS_MAX = 60 * 60_000;
const LINKS_MAX = 5;

type Layer = ImageManifest['layers'][number];

interface Document {
  readonly mediaType?: string;
  readonly manifests?: readonly { readonly digest: string; readonly platform?: { readonly architecture?: string } }[];
  readonly layers?: ImageManifest['layers'];
  readonly config?: Layer;
}

interface Found {
  readonly place: ImageReference;
  readonly digest: string;
  readonly document: Document;
}

/**
 * Reads images of OCI registries. Mirrors are tried first, each digest is verified, and interrupted downloads are
 * continued. The downloads from one registry take turns, so that a slow one delays no read from another registry.
 */
export async function ociImageRegistry(options: OciImageRegistryOptions): Promise<ImageRegistry> {
  const client = createRegistryClient(options);
  const { cache, onProgress: report = () => undefined } = options;
  await cache.open();
  /** Registries that did not answer are tried after the others. */
  const unreachable = new Set<string>();

  /** The connection may break in the middle of a manifest. Nothing continues it, so it is read again. */
  const readManifest = async (image: string, place: ImageReference, signal: AbortSignal): Promise<string> => {
    const startedMs = options.nowMs();
    for (let repeated = 0; ; repeated += 1) {
      const answer = await client.get(place, `manifests/${place.version}`, { accept: ACCEPT }, signal);
      const read = await readText(answer, MANIFEST_CHARS_MAX).catch((error: Error) => error);
      if (typeof read === 'string') return read;
      const isSilent = options.nowMs() - startedMs >= SILENCE_MS_MAX;
      if (repeated >= RESUMES_MAX || isSilent || signal.aborted)
        throw new ImageRegistryError(image, place.registry, read.message, 'unreachable');
    }
  };

  /** Returns the document of a tag or digest from the first location that has it. */
  const fetchDocument = async (image: string, version: string | undefined, signal: AbortSignal): Promise<Found> => {
    const given = parse(image);
    const reference = version === undefined ? given : { ...given, version, isByDigest: true };
    const failures: ImageRegistryError[] = [];
    const rank = ({ registry }: ImageReference): number => Number(unreachable.has(registry));
    for (const place of [...placesOf(reference, options.mirrors)].sort((a, b) => rank(a) - rank(b))) {
      try {
        const text = await readManifest(image, place, abortAfter(MANIFEST_MS_MAX, signal));
        const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
        if (place.isByDigest && digest !== place.version)
          throw new ImageRegistryError(image, place.registry, `the digest of the manifest is ${digest}`, 'corrupt');
        return { place, digest, document: JSON.parse(text) as Document };
      } catch (error) {
        if (error instanceof ImageRegistryError && error.fault === 'unreachable') unreachable.add(place.registry);
        failures.push(
          error instanceof ImageRegistryError
            ? error
            : new ImageRegistryError(
                image,
                place.registry,
                `its manifest cannot be read (${String(error)})`,
                'content',
              ),
        );
        if (signal.aborted) break;
      }
    }
    throw combined(image, failures);
  };

  const findManifest = async (image: string, architecture: string, signal: AbortSignal): Promise<Found> => {
    const found = await fetchDocument(image, undefined, signal);
    const { manifests } = found.document;
    if (!manifests) return found;
    const own = manifests.find(({ platform }) => platform?.architecture === architecture);
    if (own) return fetchDocument(image, own.digest, signal);
    const available = manifests.flatMap(({ platform }) => platform?.architecture ?? []).join(', ');
    const reason = `it has no ${architecture}; available: ${available}`;
    throw new ImageRegistryError(image, found.place.registry, reason, 'content');
  };

  /** Returns the path of a layer on this machine, where it stays as long as the caller uses its name in the cache. */
  const fetchLayer = (image: string, place: ImageReference, layer: Layer, reading: Reading): Promise<string> =>
    cache.inTurn(`layer ${layer.digest}`, reading, async (mine) => {
      const known = await cache.find(layer.digest);
      return known ?? cache.inTurn(`registry ${place.registry}`, mine, (turn) => download(image, place, layer, turn));
    });

  const download = async (
    image: string,
    place: ImageReference,
    layer: Layer,
    { onProgress, signal: ending }: Reading,
  ): Promise<string> => {
    // Nothing would limit the download.
    const unlimited = `its manifest has no size of the layer ${layer.digest}`;
    if (!Number.isSafeInteger(layer.size)) throw new ImageRegistryError(image, place.registry, unlimited, 'content');
    const signal = abortAfter(LAYER_MS_MAX, ending);
    const expected = { sha256: layer.digest.replace('sha256:', ''), bytes: layer.size };
    let reached = 0;
    let byteMs = options.nowMs();
    let mayContinue = true;
    for (let resumed = 0; ; resumed += 1) {
      const partial = await cache.partialBytes(layer.digest);
      // An interrupted download that continues may be interrupted any number of times.
      if (partial > reached) resumed = 0;
      reached = Math.max(reached, partial);
      const from = mayContinue && partial < layer.size ? partial : 0;
      const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
      try {
        const answer = await client.get(place, `blobs/${layer.digest}`, headers, signal);
        const start = answer.status === 206 ? from : 0;
        return await cache.append(layer.digest, expected, start, answer.body, (bytes) => {
          byteMs = options.nowMs();
          onProgress({ image, bytes, totalBytes: layer.size });
        });
      } catch (error) {
        if (error instanceof ImageRegistryError && (error.status !== 416 || from === 0)) throw error;
        if (error instanceof ImageRegistryError) mayContinue = false;
        const fault = faultOf(error);
        const resumesMax = fault === 'unreachable' ? RESUMES_MAX : fault === 'corrupt' ? 1 : 0;
        const isSilent = options.nowMs() - byteMs >= SILENCE_MS_MAX;
        if (resumed >= resumesMax || isSilent || signal.aborted)
          throw new ImageRegistryError(image, place.registry, (error as Error).message, fault);
      }
    }
  };

  /** An image without a list of architectures states its own in its configuration. */
  const assertArchitecture = async (
    image: string,
    place: ImageReference,
    { config }: Document,
    architecture: string,
    reading: Reading,
  ): Promise<void> => {
    if (!config) return;
    const read = async () => readFile(await fetchLayer(image, place, config, reading), 'utf8');
    const text = await cache.using([config.digest], read);
    const own = architectureIn(text);
    if (own !== undefined && own !== architecture)
      throw new ImageRegistryError(image, place.registry, `it is for ${own} and not for ${architecture}`, 'content');
  };

  return {
    manifest: async (image, architecture, signal) => {
      const { digest, document } = await findManifest(image, architecture, signal);
      return { digest, layers: document.layers ?? [] };
    },
    architectures: async (image, signal) => {
      const { document } = await fetchDocument(image, undefined, signal);
      return (document.manifests ?? []).flatMap(({ platform }) => platform?.architecture ?? []);
    },
    extractFile: async (image, architecture, path, signal) => {
      const found = await findManifest(image, architecture, signal);
      const name = `${found.digest}-${architecture}-${path}`;
      return cache.inTurn(`file ${name}`, { signal, onProgress: report }, async (reading) => {
        const known = await cache.find(name);
        if (known) return { path: known, wasCached: true };
        await assertArchitecture(image, found.place, found.document, architecture, reading);
        return { path: await extractAs(name, image, path, found, reading), wasCached: false };
      });
    },
  };

  async function extractAs(
    name: string,
    image: string,
    path: string,
    { document, place }: Found,
    reading: Reading,
  ): Promise<string> {
    // When several layers contain the file, the uppermost one applies.
    const all = [...(document.layers ?? [])].reverse();
    let [wanted, layers] = [path, all];
    for (let links = 0; links <= LINKS_MAX; links += 1) {
      let link: FoundLink | undefined;
      for (const [index, layer] of layers.entries()) {
        const found = await cache.using([layer.digest, name], async () => {
          const blob = await fetchLayer(image, place, layer, reading);
          return extractFromLayer(blob, wanted, cache, name, reading.signal).catch(async (error: Error) => {
            await cache.discard(name);
            const fault = error instanceof CacheFailure ? 'disk' : 'content';
            const reason = `its layer ${layer.digest} cannot be unpacked (${error.message})`;
            throw new ImageRegistryError(image, place.registry, reason, fault);
          });
        });
        if (found === undefined) continue;
        if (found === true) {
          const committed = await cache.commit(name).catch((error: Error) => {
            throw new ImageRegistryError(image, place.registry, error.message, 'disk');
          });
          await cache.using([name], cache.evict);
          return committed;
        }
        // The lower layers do not count.
        if (found !== false) link = found;
        layers = link?.isHard ? layers.slice(index) : all;
        break;
      }
      if (link === undefined) break;
      wanted = resolveLink(wanted, link.target);
    }
    throw new ImageRegistryError(image, place.registry, `it has no file /${path}`, 'content');
  }

  function parse(image: string): ImageReference {
    try {
      return parseImageReference(image);
    } catch (error) {
      throw new ImageRegistryError(image, 'a registry', (error as Error).message, 'missing');
    }
  }
}

/** Returns one error for all locations: the error whose fault identifies the remedy best. */
function combined(image: string, failures: readonly ImageRegistryError[]): ImageRegistryError {
  const telling = failures.find(({ fault }) => fault !== 'missing' && fault !== 'unreachable');
  const first = telling ?? failures.find(({ fault }) => fault === 'missing') ?? failures[0];
  if (!first) return new ImageRegistryError(image, 'a registry', 'no mirror contains it', 'missing');
  const [only, ...others] = failures;
  const reason =
    others.length === 0 && only
      ? only.reason
      : failures.map(({ reason: each, registry }) => `${registry}: ${each}`).join('; ');
  return new ImageRegistryError(image, first.registry, reason, first.fault, first.status);
}

function architectureIn(configuration: string): string | undefined {
  try {
    return (JSON.parse(configuration) as { readonly architecture?: string } | null)?.architecture;
  } catch {
    return undefined;
  }
}

const faultOf = (error: unknown): RegistryFault =>
  error instanceof WrongContent ? 'corrupt' : error instanceof CacheFailure ? 'disk' : 'unreachable';
