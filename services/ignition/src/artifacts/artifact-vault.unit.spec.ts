import { inMemoryObjectStore, inMemorySecrets } from '@muster/adapter-in-memory';
import { ArtifactVault } from './artifact-vault';

const vault = () => new ArtifactVault(inMemoryObjectStore(), inMemorySecrets());
const MIB = 1024 * 1024;

describe('the vault of artifacts', () => {
  it.each([true, false])('returns what was stored (secret: %s)', async (isSecret) => {
    const own = vault();
    const artifact = await own.store('c', 1, { name: 'a', content: Buffer.from('text'), isSecret });
    expect(artifact.sealed).toBe(isSecret);
    expect((await own.read('c', 1, artifact))?.toString()).toBe('text');
  });

  it('returns the first value of a secret within an attempt, and another one in the next attempt', async () => {
    const own = vault();
    const kept = async (attempt: number, text: string) =>
      (await own.keeperFor('c', attempt)('key', async () => Buffer.from(text))).toString();
    expect([await kept(1, 'a'), await kept(1, 'b'), await kept(2, 'c')]).toEqual(['a', 'a', 'c']);
  });

  it('refuses an artifact that exceeds the limit of downloads', async () => {
    const store = (bytes: number) =>
      vault().store('c', 1, { name: 'bootstrap.ign', content: Buffer.alloc(bytes), isSecret: true });
    await expect(store(5 * MIB)).resolves.toMatchObject({ name: 'bootstrap.ign' });
    await expect(store(5 * MIB + 1)).rejects.toThrow(
      /bootstrap\.ign has 5242881 bytes.*Remove large manifests, overrides or hosts/,
    );
  });
});
