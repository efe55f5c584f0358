import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { linkIntoFreePlace, makeDirectory, temporaryName, writeNewFile } from './durable-files';
import { KEY_BYTES } from './sealing';

const BITS_OF_OTHERS = 0o077;

/** Reads the master key (32 bytes), or makes it for the owner's eyes only when the file is absent. */
export const loadOrCreateMasterKey = async (file: string): Promise<Buffer> => {
  await createIfAbsent(file);
  const [key, { mode }] = [await readFile(file), await stat(file)];
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `The master key ${file} has ${key.length} bytes instead of ${KEY_BYTES}; restore it from a backup.`,
    );
  }
  if ((mode & BITS_OF_OTHERS) !== 0) {
    throw new Error(`Others than its owner may use the master key ${file}; take their rights away (chmod 600).`);
  }
  return key;
};

/** Services that start together end up with one key. */
const createIfAbsent = async (file: string): Promise<void> => {
  const directory = dirname(file);
  await makeDirectory(directory);
  if ((await stat(file).catch(() => undefined)) !== undefined) return;
  const temporary = temporaryName(directory);
  await writeNewFile(temporary, randomBytes(KEY_BYTES));
  await linkIntoFreePlace(temporary, file);
};
