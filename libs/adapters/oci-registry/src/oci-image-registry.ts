import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import {
  type ByteStream,
  type DownloadProgress,
  type ImageManifest,
  type ImageRegistry,
  ImageRegistryError,
} from '@muster/ports';
import { Decompress } from 'fzstd';
import { type BlobCache, openBlobCache } from './blob-cache';
import { type ImageReference, type MirrorRule, parseImageReference, placesOf } from './image-reference';
import { createRegistryClient, readText, type RegistryClientOptions } from './registry-client';
import { readTar } from './tar-entries';

export interface OciImageRegistryOptions extends RegistryClientOptions {
  readonly mirrors: readonly MirrorRule[];
  readonly cacheDirectory: string;
  readonly cacheBytesMax: number;
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
const LINKS_MAX = 5;

interface Document {
  readonly mediaType?: string;
  readonly manifests?: readonly { readonly digest: string; readonly platform?: { readonly architecture?: string } }[];
  readonly layers?: ImageManifest['layers'];
}

interface Found {
  readonly place: ImageReference;
  readonly digest: string;
  readonly document: Document;
}

/**
 * Reads images of OCI registries. Mirrors are tried first, each digest is verified, and interrupted downloads are
 * continued.
 */
export async function ociImageRegistry(options: OciImageRegistryOptions): Promise<ImageRegistry> {
  const client = createRegistryClient(options);
  const cache = await openBlobCache(options.cacheDirectory, options.cacheBytesMax);

  /** Returns the document of a tag or digest from the first location that has it. */
  const fetchDocument = async (image: string, version: string | undefined, signal: AbortSignal): Promise<Found> => {
    const given = parse(image);
    const reference = version === undefined ? given : { ...given, version, isByDigest: true };
    const failures: string[] = [];
    for (const place of placesOf(reference, options.mirrors)) {
      try {
        const answer = await client.get(place, `manifests/${place.version}`, { accept: ACCEPT }, signal);
        const text = await readText(answer, MANIFEST_CHARS_MAX);
        const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
        if (place.isByDigest && digest !== place.version)
          throw new ImageRegistryError(image, place.registry, `the digest of the manifest is ${digest}`);
        return { place, digest, document: JSON.parse(text) as Document };
      } catch (error) {
        failures.push(`${place.registry}: ${error instanceof ImageRegistryError ? error.reason : String(error)}`);
        if (signal.aborted) break;
      }
    }
    const { registry } = parse(image);
    throw new ImageRegistryError(image, registry, failures.join('; '));
  };

  const findManifest = async (image: string, architecture: string, signal: AbortSignal): Promise<Found> => {
    const found = await fetchDocument(image, undefined, signal);
    const { manifests } = found.document;
    if (!manifests) return found;
    const own = manifests.find(({ platform }) => platform?.architecture === architecture);
    if (own) return fetchDocument(image, own.digest, signal);
    const available = manifests.flatMap(({ platform }) => platform?.architecture ?? []).join(', ');
    throw new ImageRegistryError(image, found.place.registry, `it has no ${architecture}; available: ${available}`);
  };

  /** Returns the path of a layer on this machine. */
  const fetchLayer = async (
    image: string,
    place: ImageReference,
    layer: ImageManifest['layers'][number],
    signal: AbortSignal,
  ): Promise<string> => {
    const known = await cache.find(layer.digest);
    if (known) return known;
    const sha256 = layer.digest.replace('sha256:', '');
    for (let resumed = 0; ; resumed += 1) {
      const from = await cache.partialBytes(layer.digest);
      const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
      try {
        const answer = await client.get(place, `blobs/${layer.digest}`, headers, signal);
        const start = answer.status === 206 ? from : 0;
        return await cache.append(layer.digest, sha256, start, answer.body, (bytes) =>
          options.onProgress?.({ image, bytes, totalBytes: layer.size }),
        );
      } catch (error) {
        if (error instanceof ImageRegistryError && error.status !== 416) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (resumed >= RESUMES_MAX || signal.aborted) throw new ImageRegistryError(image, place.registry, reason);
      }
    }
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
      const { digest, document, place } = await findManifest(image, architecture, signal);
      const name = `${digest}-${path}`;
      const known = await cache.find(name);
      if (known) return known;
      // When several layers contain the file, the uppermost one applies.
      let wanted = path;
      for (let links = 0; links <= LINKS_MAX; links += 1) {
        let link: string | undefined;
        for (const layer of [...(document.layers ?? [])].reverse()) {
          const blob = await fetchLayer(image, place, layer, signal);
          const found = await extract(blob, wanted, cache, name);
          if (found === undefined) continue;
          if (found === true) {
            const file = await cache.commit(name);
            await cache.evict();
            return file;
          }
          link = found;
          break;
        }
        if (link === undefined) break;
        wanted = resolveLink(wanted, link);
      }
      throw new ImageRegistryError(image, place.registry, `it has no file /${path}`);
    },
  };

  function parse(image: string): ImageReference {
    try {
      return parseImageReference(image);
    } catch (error) {
      throw new ImageRegistryError(image, 'a registry', (error as Error).message);
    }
  }
}

/** True: the file was written. A text: the target of a link. Undefined: the layer does not contain the file. */
async function extract(blob: string, path: string, cache: BlobCache, name: string): Promise<true | string | undefined> {
  const raw = createReadStream(blob);
  const stream = await decompressed(blob, raw);
  let result: true | string | undefined;
  let file: ReturnType<typeof createWriteStream> | undefined;
  try {
    await readTar(
      stream,
      (entry) => {
        if (result !== undefined) return 'stop';
        if (entry.path !== path) return 'skip';
        if (entry.type === 'link' || entry.type === 'hard-link') {
          result = entry.type === 'link' ? entry.target : `/${entry.target}`;
          return 'stop';
        }
        return 'take';
      },
      async (_entry, bytes) => {
        file ??= createWriteStream(await cache.scratch(name), { mode: 0o755 });
        if (!file.write(bytes)) await once(file, 'drain');
      },
    );
  } finally {
    raw.destroy();
  }
  if (!file) return result;
  file.end();
  await once(file, 'close');
  return true;
}

/** Layers are gzip, zstd or plain tar, independent of their media type. */
async function decompressed(path: string, raw: ReadStream): Promise<ByteStream> {
  const magic = await firstBytes(path);
  if (GZIP.equals(magic.subarray(0, GZIP.length))) return raw.pipe(createGunzip());
  return ZSTD.equals(magic) ? unzstd(raw) : raw;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function firstBytes(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: ZSTD.length - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const decompress = new Decompress((chunk) => ready.push(chunk));
  for await (const chunk of compressed) {
    decompress.push(chunk);
    yield* ready;
    ready = [];
  }
  decompress.push(new Uint8Array(), true);
  yield* ready;
}

function resolveLink(from: string, target: string): string {
  const base = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const parts: string[] = [];
  for (const part of [...base, ...target.split('/')]) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
