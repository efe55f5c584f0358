import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '@muster/ports';
import {
  isErrno,
  linkIntoFreePlace,
  makeDirectory,
  moveIntoPlace,
  syncDirectory,
  temporaryName,
  writeNewFile,
} from './durable-files';
import { loadOrCreateMasterKey } from './master-key';
import { KEY_BYTES, openBytes, sealBytes, type SealedFor } from './sealing';
import { createTurns } from './turns';

export interface FilesystemSecretsOptions {
  /** Made when it is absent. */
  readonly directory: string;
  /** Holds 32 bytes; made (mode 0600) when it is absent. Keep it apart from the directory and its backups. */
  readonly masterKeyFile: string;
}

const KEY_FILE = 'key';

/**
 * Sealed values as files: a directory per scope with the scope's own key, wrapped by the master key, and a file per value.
 * Names of directories and files are hashes, so that no path contains text of a caller. Services on one machine may share the directory.
 */
export const filesystemSecrets = async (options: FilesystemSecretsOptions): Promise<Secrets> => {
  const masterKey = await loadOrCreateMasterKey(options.masterKeyFile);
  const scopes = join(options.directory, 'scopes');
  const discarded = join(options.directory, 'discarded');
  await makeDirectory(scopes);
  await makeDirectory(discarded);
  // What a shredding left behind when its process died.
  for (const name of await readdir(discarded)) await rm(join(discarded, name), { recursive: true, force: true });
  const inTurn = createTurns();

  const directoryOf = (scope: string): string => join(scopes, hashOf(scope));

  const scopeKey = async (scope: string): Promise<Buffer | undefined> => {
    const wrapped = await readIfPresent(join(directoryOf(scope), KEY_FILE));
    return wrapped && openOrExplain(masterKey, keySealedFor(scope), wrapped, 'the key of a scope');
  };

  /** The key that is in place afterwards, which another process may have created meanwhile. */
  const createScopeKey = async (scope: string): Promise<Buffer | undefined> => {
    const directory = directoryOf(scope);
    await makeDirectory(directory);
    const temporary = temporaryName(directory);
    await writeNewFile(temporary, sealBytes(masterKey, keySealedFor(scope), randomBytes(KEY_BYTES)));
    await linkIntoFreePlace(temporary, join(directory, KEY_FILE));
    return scopeKey(scope);
  };

  return {
    seal: (scope, name, plaintext) =>
      inTurn(scope, async () => {
        const key = (await scopeKey(scope)) ?? (await createScopeKey(scope));
        if (!key) throw new Error('The secrets of this scope were destroyed while one was sealed.');
        await replace(directoryOf(scope), hashOf(name), sealBytes(key, valueSealedFor(scope, name), plaintext));
      }),
    open: (scope, name) =>
      inTurn(scope, async () => {
        const key = await scopeKey(scope);
        const sealed = key && (await readIfPresent(join(directoryOf(scope), hashOf(name))));
        return key && sealed && openOrExplain(key, valueSealedFor(scope, name), sealed, 'a secret');
      }),
    shred: (scope) =>
      inTurn(scope, async () => {
        const away = temporaryName(discarded);
        try {
          // The whole scope disappears at once; a crash from here on leaves nothing that is in use.
          await rename(directoryOf(scope), away);
          await rm(join(away, KEY_FILE), { force: true });
          await syncDirectory(away);
          await syncDirectory(scopes);
          await rm(away, { recursive: true, force: true });
        } catch (error) {
          // Nothing was sealed, or a process that just starts has cleared it away first.
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
      `${what} cannot be opened: it was changed, or sealed under another master key; restore both from one backup.`,
      {
        cause: error,
      },
    );
  }
};
