import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarBlocks } from '@muster/host-api';
import type { HttpRequest, HttpResponse, ImageRegistry } from '@muster/ports';
import { blobCache } from './blob-cache';
import { ociImageRegistry } from './oci-image-registry';
import { parsePullSecret } from './registry-client';

/** Images that are answered from memory. Every host and repository has all of them. */
export interface MemoryRegistry {
  /** Returns the digest of an image with these layers, the uppermost last: files, or an archive. */
  add(...layers: readonly (Buffer | { readonly [path: string]: string })[]): string;
  answer(request: Pick<HttpRequest, 'url'>): HttpResponse;
}

export function memoryRegistry(): MemoryRegistry {
  const contents = new Map<string, Buffer>();
  const put = (content: Buffer): { readonly digest: string; readonly size: number } => {
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    contents.set(digest, content);
    return { digest, size: content.length };
  };
  return {
    add: (...layers) => {
      const archives = layers.map((layer) =>
        put(Buffer.isBuffer(layer) ? layer : gzipSync(Buffer.concat([...tarBlocks(layer)]))),
      );
      return put(Buffer.from(JSON.stringify({ layers: archives }))).digest;
    },
    answer: ({ url }) => {
      const content = contents.get(url.split('/').at(-1) ?? '');
      return content ? answerOf(content) : { ...answerOf(Buffer.alloc(0)), status: 404 };
    },
  };
}

/** An adapter that reads these images, with its cache in a directory. */
export const registryOf = (images: MemoryRegistry, directory: string): Promise<ImageRegistry> =>
  ociImageRegistry({
    send: async (request) => images.answer(request),
    pullSecret: parsePullSecret(''),
    sleep: async () => undefined,
    random: () => 0,
    nowMs: () => 0,
    mirrors: [],
    cache: blobCache(directory, 1e9),
  });

export const answerOf = (...chunks: readonly Buffer[]): HttpResponse => ({
  status: 200,
  headers: {},
  body: (async function* () {
    yield* chunks;
  })(),
});
