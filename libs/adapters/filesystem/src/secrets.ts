import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedQueue, type SealedStorage, type SealOptions, type Secrets } from '@muster/ports';
import {
  DIRECTORY_MODE,
  INCOMING,
  isErrno,
  linkIfAbsent,
  makeDirectory,
  moveIntoPlace,
  removeStaleFiles,
  syncDirectory,
  temporaryName,
  writeNewFile,
} from './durable-files';
import { KeptKeys, type ScopeKey } from './kept-keys';

const BITS_OF_OTHERS = 0o077;

/** Reads the master key (32 bytes). Creates it, readable by the owner only, when the file does not exist. */
export const loadOrCreateMasterKey = async (file: string): Promise<Buffer> => {
  await createIfAbsent(file).catch((error: Error) => {
    const remedy = 'Check its directory and the free space, or set MUSTER_MASTER_KEY_FILE.';
    throw new Error(`The master key ${file} cannot be created: ${error.message}. ${remedy}`, { cause: error });
  });
  const key = await readFile(file).catch((error: Error) => {
    const remedy = 'Check its path and permissions, or set MUSTER_MASTER_KEY_FILE.';
    throw new Error(`The master key ${file} cannot be read: ${error.message}. ${remedy}`, { cause: error });
  });
  const { mode } = await stat(file);
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

export interface SealedSecretsOptions {
  /** Opens the storage of the sealed values. Called when the master key exists. */
  readonly openStorage: () => SealedStorage | Promise<SealedStorage>;
  /**
   * Contains 32 bytes. Created with mode 0600 when it does not exist. Store it separately from the sealed values and
   * their backups.
   */
  readonly masterKeyFile: string;
}

export interface FilesystemSecretsOptions extends Pick<SealedSecretsOptions, 'masterKeyFile'> {
  /** Created when it does not exist. */
  readonly directory: string;
}

/** Secrets with sealed values as files. */
export const filesystemSecrets = ({ directory, masterKeyFile }: FilesystemSecretsOptions): Promise<Secrets> =>
  sealedSecrets({ masterKeyFile, openStorage: () => filesystemSealedStorage(directory) });

const KEY_NAME = 'key';

/** A scope may be destroyed and created again by another process between two attempts. */
const SEAL_ATTEMPTS_MAX = 3;

/**
 * Seals values. Each scope has a key, encrypted with the master key. The storage receives hashes instead of the scopes
 * and names of callers.
 */
export const sealedSecrets = async ({ masterKeyFile, openStorage }: SealedSecretsOptions): Promise<Secrets> => {
  const masterKey = await loadOrCreateMasterKey(masterKeyFile);
  const storage = await openStorage();
  const queue = new KeyedQueue();

  const keptKeys = new KeptKeys();

  const readKey = async (scope: string): Promise<ScopeKey | undefined> => {
    const wrapped = await storage.read(hashOf(scope), KEY_NAME);
    if (!wrapped) return undefined;
    const key = openOrExplain(masterKey, keySealedFor(scope), wrapped, 'the key of a scope');
    return keptKeys.keep(scope, { key, wrapped });
  };

  /** False when another process created the scope concurrently. */
  const createScope = async (scope: string, name: string, plaintext: Buffer): Promise<boolean> => {
    const key = randomBytes(KEY_BYTES);
    const wrapped = sealBytes(masterKey, keySealedFor(scope), key);
    const value = sealBytes(key, valueSealedFor(scope, name), plaintext);
    const values = new Map([
      [KEY_NAME, wrapped],
      [hashOf(name), value],
    ]);
    const isCreated = await storage.create(hashOf(scope), values);
    if (isCreated) keptKeys.keep(scope, { key, wrapped });
    return isCreated;
  };

  /** False when the scope has another key than that one, or none. */
  const sealWith = (
    { key, wrapped }: ScopeKey,
    scope: string,
    name: string,
    plaintext: Buffer,
    options: SealOptions,
  ): Promise<boolean> => {
    const value = sealBytes(key, valueSealedFor(scope, name), plaintext);
    return storage.replace(hashOf(scope), hashOf(name), value, { name: KEY_NAME, bytes: wrapped }, options);
  };

  return {
    seal: (scope, name, plaintext, options = {}) =>
      queue.run(scope, async () => {
        for (let attempt = 1; attempt <= SEAL_ATTEMPTS_MAX; attempt += 1) {
          const isUnread = options.isNewScope === true && attempt === 1;
          const known = keptKeys.get(scope) ?? (isUnread ? undefined : await readKey(scope));
          const isSealed = known
            ? await sealWith(known, scope, name, plaintext, options)
            : await createScope(scope, name, plaintext);
          if (isSealed) return;
          keptKeys.delete(scope);
        }
        throw new Error('The secrets of this scope were destroyed while a value was being sealed.');
      }),
    open: (scope, name) =>
      queue.run(scope, async () => {
        const kept = keptKeys.get(scope);
        const known = kept ?? (await readKey(scope));
        const sealed = known && (await storage.read(hashOf(scope), hashOf(name)));
        if (!sealed) return undefined;
        const sealedFor = valueSealedFor(scope, name);
        if (!kept) return openOrExplain(known.key, sealedFor, sealed, 'a secret');
        try {
          return openBytes(kept.key, sealedFor, sealed);
        } catch {
          // Another process destroyed the scope and created it again, or the value was changed.
          const key = (await readKey(scope))?.key;
          return key && openOrExplain(key, sealedFor, sealed, 'a secret');
        }
      }),
    shred: (scope) =>
      queue.run(scope, async () => {
        keptKeys.delete(scope);
        await storage.remove(hashOf(scope));
      }),
  };
};

/** Stores sealed values as files, in a directory per scope. Processes may share the directory, also over a network. */
export const filesystemSealedStorage = async (directory: string): Promise<SealedStorage> => {
  const scopes = join(directory, 'scopes');
  const incoming = join(directory, INCOMING);
  const discarded = join(directory, 'discarded');
  for (const made of [scopes, incoming, discarded]) await makeDirectory(made);
  await removeStaleFiles(incoming, Date.now());
  // Remove scopes that a dead process did not remove completely.
  for (const name of await readdir(discarded)) await rm(join(discarded, name), { recursive: true, force: true });

  return {
    read: (scope, name) => readIfPresent(join(scopes, scope, name)),
    create: async (scope, values) => {
      const temporary = temporaryName(incoming);
      try {
        await mkdir(temporary, { mode: DIRECTORY_MODE });
        for (const [name, bytes] of values) await writeNewFile(join(temporary, name), bytes);
        await syncDirectory(temporary);
        await moveIntoPlace(temporary, join(scopes, scope));
        return true;
      } catch (error) {
        await rm(temporary, { recursive: true, force: true });
        if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) return false;
        throw error;
      }
    },
    replace: async (scope, name, bytes, given, { keepsOlder = false } = {}) => {
      const found = await readIfPresent(join(scopes, scope, given.name));
      if (!found?.equals(given.bytes)) return false;
      // Not in the scope, where the file of a process that is killed would stay.
      const temporary = temporaryName(incoming);
      await writeNewFile(temporary, bytes);
      try {
        await (keepsOlder ? linkIfAbsent : moveIntoPlace)(temporary, join(scopes, scope, name));
        return true;
      } catch (error) {
        await rm(temporary, { force: true });
        // Another process has destroyed the scope meanwhile.
        if (isErrno(error, 'ENOENT')) return false;
        throw error;
      }
    },
    remove: async (scope) => {
      const away = temporaryName(discarded);
      try {
        // The whole scope is renamed atomically. After a crash from here on, no file of the scope is in use.
        await rename(join(scopes, scope), away);
        await rm(join(away, KEY_NAME), { force: true });
        await syncDirectory(away);
        await syncDirectory(scopes);
        await rm(away, { recursive: true, force: true });
      } catch (error) {
        // Nothing was sealed, or another starting process removed it first.
        if (!isErrno(error, 'ENOENT')) throw error;
      }
    },
  };
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const keySealedFor = (scope: string): SealedFor => ['key', scope];
const valueSealedFor = (scope: string, name: string): SealedFor => ['value', scope, name];

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
