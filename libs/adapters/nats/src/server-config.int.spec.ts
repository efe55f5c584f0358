import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { loadOrCreateNatsTrust } from './server-config';

describe('loadOrCreateNatsTrust', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'nats-trust.json');
  afterAll(() => directory.remove());

  it('makes the keys once, for the eyes of the owner only', async () => {
    const made = await loadOrCreateNatsTrust(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(await loadOrCreateNatsTrust(file)).toEqual(made);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{}', 'not json', '{"operatorSeed":"SOABC","accountSeed":"SAABC"}'])(
    'refuses a file that holds %j, without showing it',
    async (text) => {
      writeFileSync(file, text);
      await expect(loadOrCreateNatsTrust(file)).rejects.toThrow(/does not contain the NATS keys/);
      await expect(loadOrCreateNatsTrust(file)).rejects.not.toThrow(/ABC/);
    },
  );
});
