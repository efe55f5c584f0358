import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secrets } from '@muster/ports';
import {
  isErrno,
  linkIfAbsent,
  makeDirectory,
  moveIntoPlace,
  syncDirectory,
  temporaryName,
  writeNewFile,
} from './durable-files';

/** Runs work with the same key sequentially, and work with different keys concurrently. */
export const createKeyedQueue = (): (<T>(key: string, work: () => Promise<T>) => Promise<T>) => {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return result;
  };
};

const BITS_OF_OTHERS = 0o077;

/** Reads the master key (32 bytes). Creates it, readable by the owner only, when the file does not exist. */
export const loadOrCreateMasterKey = async (file: string): Promise<Buffer> => {
  await createIfAbsent(file);
  const [key, { mode }] = [await readFile(file), await stat(file)];
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `The master key ${file} has ${key.length} bytes instead of ${KEY_BYTES}; restore it from a backup.`,
    );
  }
  if ((mode & BITS_OF_OTHERS) !== 0) {
    throw new Error(`The master key ${file} is readable by other users. Restrict its permissions (chmod 600).`);
  }
  return key;
};

/** Services that start concurrently use one key. */
const createIfAbsent = async (file: string): Promise<void> => {
  const directory = dirname(file);
  await makeDirectory(directory);
  if ((await stat(file).catch(() => undefined)) !== undefined) return;
  const temporary = temporaryName(directory);
  await writeNewFile(temporary, randomBytes(KEY_BYTES));
  await linkIfAbsent(temporary, file);
};

const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** First byte of sealed data; it identifies the cipher. */
const FORMAT = 1;

/** The context of sealed bytes. They can be opened in the same context only. */
export type SealedFor = readonly string[];

/** format (1) | nonce (12) | tag (16) | ciphertext. The nonce is random, so a key must not seal billions of values. */
export const sealBytes = (key: Buffer, sealedFor: SealedFor, plaintext: Buffer): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toBytes(sealedFor));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), ciphertext]);
};

/** @throws Error when the bytes were changed, belong to another context, or were sealed with another key */
export const openBytes = (key: Buffer, sealedFor: SealedFor, sealed: Buffer): Buffer => {
  if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT) throw new Error('The value is not sealed.');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(toBytes(sealedFor)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
};

/** JSON separates the parts, so that ["ab", "c"] and ["a", "bc"] differ. */
const toBytes = (sealedFor: SealedFor): Buffer => Buffer.from(JSON.stringify(sealedFor));

export interface FilesystemSecretsOptions {
  /** Created when it does not exist. */
  readonly directory: string;
  /**
   * Contains 32 bytes. Created with mode 0600 when it does not exist. Store it separately from the directory and its
   * backups.
   */
  readonly masterKeyFile: string;
}

const KEY_FILE = 'key';

/**
 * Stores sealed values as files: a directory per scope with the key of the scope, encrypted with the master key, and a
 * file per value. Names of directories and files are hashes, so that no path contains text of a caller. Services on one
 * machine may share the directory.
 */
export const filesystemSecrets = async (options: FilesystemSecretsOptions): Promise<Secrets> => {
  const masterKey = await loadOrCreateMasterKey(options.masterKeyFile);
  const scopes = join(options.directory, 'scopes');
  const discarded = join(options.directory, 'discarded');
  await makeDirectory(scopes);
  await makeDirectory(discarded);
  // Remove scopes that a dead process did not remove completely.
  for (const name of await readdir(discarded)) await rm(join(discarded, name), { recursive: true, force: true });
  const runInOrder = createKeyedQueue();

  const directoryOf = (scope: string): string => join(scopes, hashOf(scope));

  const scopeKey = async (scope: string): Promise<Buffer | undefined> => {
    const wrapped = await readIfPresent(join(directoryOf(scope), KEY_FILE));
    return wrapped && openOrExplain(masterKey, keySealedFor(scope), wrapped, 'the key of a scope');
  };

  /** Returns the key that exists afterwards. Another process may have created it concurrently. */
  const createScopeKey = async (scope: string): Promise<Buffer | undefined> => {
    const directory = directoryOf(scope);
    await makeDirectory(directory);
    const temporary = temporaryName(directory);
    await writeNewFile(temporary, sealBytes(masterKey, keySealedFor(scope), randomBytes(KEY_BYTES)));
    await linkIfAbsent(temporary, join(directory, KEY_FILE));
    return scopeKey(scope);
  };

  return {
    seal: (scope, name, plaintext) =>
      runInOrder(scope, async () => {
        const key = (await scopeKey(scope)) ?? (await createScopeKey(scope));
        if (!key) throw new Error('The secrets of this scope were destroyed while a value was being sealed.');
        await replace(directoryOf(scope), hashOf(name), sealBytes(key, valueSealedFor(scope, name), plaintext));
      }),
    open: (scope, name) =>
      runInOrder(scope, async () => {
        const key = await scopeKey(scope);
        const sealed = key && (await readIfPresent(join(directoryOf(scope), hashOf(name))));
        return key && sealed && openOrExplain(key, valueSealedFor(scope, name), sealed, 'a secret');
      }),
    shred: (scope) =>
      runInOrder(scope, async () => {
        const away = temporaryName(discarded);
        try {
          // The whole scope is renamed atomically. After a crash from here on, no file of the scope is in use.
          await rename(directoryOf(scope), away);
          await rm(join(away, KEY_FILE), { force: true });
          await syncDirectory(away);
          await syncDirectory(scopes);
          await rm(away, { recursive: true, force: true });
        } catch (error) {
          // Nothing was sealed, or another starting process removed it first.
          if (!isErrno(error, 'ENOENT')) throw error;
        }
      }),
  };
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const keySealedFor = (scope: string): SealedFor => ['key', scope];
const valueSealedFor = (scope: string, name: string): SealedFor => ['value', scope, name];

const replace = async (directory: string, name: string, bytes: Buffer): Promise<void> => {
  const temporary = temporaryName(directory);
  await writeNewFile(temporary, bytes);
  await moveIntoPlace(temporary, join(directory, name));
};

const readIfPresent = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  });

const openOrExplain = (key: Buffer, sealedFor: SealedFor, sealed: Buffer, what: string): Buffer => {
  try {
    return openBytes(key, sealedFor, sealed);
  } catch (error) {
    throw new Error(
      `${what} cannot be opened: it was changed, or sealed with another master key. Restore both from one backup.`,
      {
        cause: error,
      },
    );
  }
};
