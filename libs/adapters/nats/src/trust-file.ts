import { chmod, readFile, writeFile } from 'node:fs/promises';
import { accountKey, createNatsTrust, operatorKey, type NatsTrust } from './trust';

/** Reads the keys, or makes them and writes them (mode 0600) when the file is absent. Throws when the file holds something else. */
export const loadOrCreateNatsTrust = async (file: string): Promise<NatsTrust> => {
  const trust = createNatsTrust();
  try {
    await writeFile(file, `${JSON.stringify(trust)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return trust;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  await chmod(file, 0o600);
  return parseTrust(file, await readFile(file, 'utf8'));
};

const parseTrust = (file: string, text: string): NatsTrust => {
  try {
    const { operatorSeed, accountSeed } = JSON.parse(text) as Partial<NatsTrust>;
    const trust = { operatorSeed: operatorSeed ?? '', accountSeed: accountSeed ?? '' };
    const isTrust =
      operatorKey(trust).getPublicKey().startsWith('O') && accountKey(trust).getPublicKey().startsWith('A');
    if (isTrust) return trust;
  } catch {
    // Said below, without the content: half of a key is still half of a secret.
  }
  throw new Error(
    `${file} does not hold the NATS keys of this installation; restore it, or remove it to make new ones.`,
  );
};
