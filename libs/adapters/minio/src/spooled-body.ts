import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ObjectTooLarge, type StoredObject } from '@muster/ports';

/** A body whose digest is known, to be read as often as needed. */
export interface SpooledBody {
  readonly stored: StoredObject;
  read(): Readable;
  discard(): Promise<void>;
}

const FILE_MODE = 0o600;

/**
 * The name of an object is its digest, and the digest is known only after the last byte: a stream is written to a temporary
 * file first. Throws ObjectTooLarge and leaves no file behind.
 */
export const spoolBody = async (body: Buffer | Readable, maxBytes: number): Promise<SpooledBody> => {
  if (Buffer.isBuffer(body)) {
    if (body.length > maxBytes) throw new ObjectTooLarge(maxBytes);
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const read = (): Readable => Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
    return { stored: { digest, bytes: body.length }, read, discard: async () => undefined };
  }
  // A stream may fail before it is read. The reader receives the error later, but a listener must exist now.
  body.on('error', () => undefined);
  const path = join(tmpdir(), `muster-upload-${randomUUID()}`);
  try {
    const stored = await writeBody(path, body, maxBytes);
    return { stored, read: () => createReadStream(path), discard: () => rm(path, { force: true }) };
  } catch (error) {
    body.destroy();
    await rm(path, { force: true });
    throw error;
  }
};

const writeBody = async (path: string, body: Readable, maxBytes: number): Promise<StoredObject> => {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of body) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      bytes += part.length;
      if (bytes > maxBytes) throw new ObjectTooLarge(maxBytes);
      hash.update(part);
      for (let at = 0; at < part.length;) at += (await handle.write(part, at)).bytesWritten;
    }
    return { digest: `sha256:${hash.digest('hex')}`, bytes };
  } finally {
    await handle.close();
  }
};
