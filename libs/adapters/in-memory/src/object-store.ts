import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ObjectAreas, type ObjectStore, ObjectTooLarge } from '@muster/ports';

/** Bodies in a map, for tests. */
export const inMemoryObjectStore = (): ObjectStore => {
  const bodies = new Map<string, Buffer>();
  const storedAtMs = new Map<string, number>();
  return {
    put: async (source, maxBytes) => {
      const body = await collect(source, maxBytes);
      const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
      bodies.set(digest, body);
      storedAtMs.set(digest, Date.now());
      return { digest, bytes: body.length };
    },
    get: async (digest) => bodies.get(digest),
    open: async (digest, range) => {
      const body = bodies.get(digest);
      if (body === undefined) return undefined;
      const part = range === undefined ? body : body.subarray(range.start, range.end + 1);
      return Readable.from(part.length === 0 ? [] : [part], { objectMode: false });
    },
    remove: async (digest) => void bodies.delete(digest),
    list: async function* () {
      for (const [digest, { length: bytes }] of bodies)
        yield { digest, bytes, storedAtMs: storedAtMs.get(digest) ?? 0 };
    },
  };
};

export const inMemoryObjectAreas = (): ObjectAreas => {
  const areas = new Map<string, ObjectStore>();
  return {
    area: async (name) => {
      const area = areas.get(name) ?? inMemoryObjectStore();
      areas.set(name, area);
      return area;
    },
    names: async () => [...areas.keys()],
  };
};

const collect = async (source: Buffer | Readable, maxBytes: number): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of Buffer.isBuffer(source) ? [source] : source) {
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) throw new ObjectTooLarge(maxBytes);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
};
