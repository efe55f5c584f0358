import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ObjectAreas, type ObjectStore, ObjectTooLarge } from '@muster/ports';

/** Opens an object store for one test. It may already contain other bodies. */
export type OpenObjectStore = () => Promise<{ readonly objects: ObjectStore; close(): Promise<void> }>;

const digestOf = (body: Buffer): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;
const CHUNK_BYTES = 10_000;
const PLENTY_BYTES = 10_000_000;
const DAY_MS = 86_400_000;

async function* chunks(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

const read = async (stream: Readable | undefined): Promise<Buffer | undefined> => {
  if (stream === undefined) return undefined;
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
};

/** Tests the contract of every ObjectAreas. Call it at the top level of a spec. */
export const objectAreasContract = (name: string, open: () => Promise<ObjectAreas>): void => {
  it(`${name} separates the bodies of two areas`, async () => {
    const areas = await open();
    const [one, other] = [randomUUID(), randomUUID()];
    const body = randomBytes(60);
    const { digest } = await (await areas.area(one)).put(body, 100);
    await (await areas.area(other)).put(body, 100);
    expect([...(await areas.names())].sort()).toEqual(expect.arrayContaining([one, other].sort()));
    await (await areas.area(one)).remove(digest);
    expect(await (await areas.area(one)).get(digest)).toBeUndefined();
    expect(await (await areas.area(other)).get(digest)).toEqual(body);
  });
};

/** Tests the contract of every ObjectStore. Call it at the top level of a spec. */
export const objectStoreContract = (name: string, open: OpenObjectStore): void => {
  describe(`${name} meets the contract of an object store`, () => {
    let opened: Awaited<ReturnType<OpenObjectStore>>;
    let objects: ObjectStore;
    beforeEach(async () => {
      opened = await open();
      objects = opened.objects;
    });
    afterEach(() => opened.close());

    it.each([
      ['a buffer', (body: Buffer) => body],
      ['a stream', (body: Buffer) => Readable.from(chunks(body))],
    ])('stores %s under its digest and returns it', async (_, from) => {
      const body = randomBytes(123_457);
      expect(await objects.put(from(body), PLENTY_BYTES)).toEqual({ digest: digestOf(body), bytes: body.length });
      expect((await objects.get(digestOf(body)))?.equals(body)).toBe(true);
      expect((await read(await objects.open(digestOf(body))))?.equals(body)).toBe(true);
    });

    it('stores the empty body', async () => {
      const empty = Buffer.alloc(0);
      expect(await objects.put(Readable.from(chunks(empty)), 0)).toEqual({ digest: digestOf(empty), bytes: 0 });
      expect(await objects.get(digestOf(empty))).toEqual(empty);
      expect(await read(await objects.open(digestOf(empty)))).toEqual(empty);
    });

    it('accepts the same body again, also concurrently', async () => {
      const body = randomBytes(50_000);
      const stored = { digest: digestOf(body), bytes: body.length };
      const puts = Array.from({ length: 8 }, (_, n) =>
        objects.put(n % 2 ? body : Readable.from(chunks(body)), PLENTY_BYTES),
      );
      expect(await Promise.all(puts)).toEqual(Array.from({ length: 8 }, () => stored));
      expect(await objects.put(body, PLENTY_BYTES)).toEqual(stored);
      expect((await objects.get(stored.digest))?.equals(body)).toBe(true);
    });

    it('returns a range including both ends, limited to the body', async () => {
      const body = randomBytes(40_000);
      const { digest } = await objects.put(body, PLENTY_BYTES);
      const range = async (start: number, end: number): Promise<Buffer | undefined> =>
        read(await objects.open(digest, { start, end }));
      expect(await range(0, 0)).toEqual(body.subarray(0, 1));
      expect(await range(100, 9_999)).toEqual(body.subarray(100, 10_000));
      expect(await range(39_990, 39_999)).toEqual(body.subarray(39_990));
      expect(await range(39_990, 50_000)).toEqual(body.subarray(39_990));
      expect(await range(40_000, 50_000)).toEqual(Buffer.alloc(0));
    });

    it.each([
      ['a digest without a body', digestOf(randomBytes(16))],
      ['a path', 'sha256:../../../../etc/passwd'],
      ['a digest in capital letters', digestOf(Buffer.from('x')).toUpperCase()],
      ['nothing', ''],
    ])('has no body for %s', async (_, digest) => {
      expect(await objects.get(digest)).toBeUndefined();
      expect(await objects.open(digest)).toBeUndefined();
      expect(await objects.open(digest, { start: 0, end: 3 })).toBeUndefined();
      await expect(objects.remove(digest)).resolves.toBeUndefined();
    });

    it('removes a body, and accepts a repeated removal', async () => {
      const body = randomBytes(100);
      const { digest } = await objects.put(body, PLENTY_BYTES);
      await objects.remove(digest);
      await objects.remove(digest);
      expect(await objects.get(digest)).toBeUndefined();
      expect(await objects.put(body, PLENTY_BYTES)).toEqual({ digest, bytes: 100 });
      expect((await objects.get(digest))?.equals(body)).toBe(true);
    });

    it('lists the bodies with sizes and times, without removed bodies', async () => {
      const [kept, removed] = [await objects.put(randomBytes(70), 100), await objects.put(randomBytes(80), 100)];
      await objects.remove(removed.digest);
      const found = new Map<string, { readonly bytes: number; readonly storedAtMs: number }>();
      for await (const { digest, ...rest } of objects.list()) found.set(digest, rest);
      expect(found.get(kept.digest)?.bytes).toBe(70);
      // The clock of the server may differ.
      expect(Math.abs((found.get(kept.digest)?.storedAtMs ?? 0) - Date.now())).toBeLessThan(DAY_MS);
      expect(found.has(removed.digest)).toBe(false);
    });

    it.each([
      ['a buffer', (body: Buffer) => body],
      ['a stream', (body: Buffer) => Readable.from(chunks(body))],
    ])('refuses %s above the limit without storing it, and accepts a body of exactly the limit', async (_, from) => {
      const body = randomBytes(30_000);
      await expect(objects.put(from(body), 29_999)).rejects.toThrow(ObjectTooLarge);
      expect(await objects.get(digestOf(body))).toBeUndefined();
      expect(await objects.put(from(body), 30_000)).toMatchObject({ bytes: 30_000 });
    });

    it('stores nothing of a stream that fails', async () => {
      const body = randomBytes(30_000);
      const breaking = async function* (): AsyncGenerator<Buffer> {
        yield body;
        throw new Error('the sender went away');
      };
      await expect(objects.put(Readable.from(breaking()), PLENTY_BYTES)).rejects.toThrow('the sender went away');
      expect(await objects.get(digestOf(body))).toBeUndefined();
    });
  });
};
