import { inMemoryObjectStore, inMemorySecrets } from '@muster/adapter-in-memory';
import { ArtifactVault } from './artifact-vault';

const vault = () => new ArtifactVault(inMemoryObjectStore(), inMemorySecrets());
const MIB = 1024 * 1024;

describe('The vault of artifacts', () => {
  it.each([true, false])('gives back what was stored (secret: %s)', async (isSecret) => {
    const own = vault();
    const artifact = await own.store('c', 1, { name: 'a', content: Buffer.from('text'), isSecret });
    expect(artifact.sealed).toBe(isSecret);
    expect((await own.read('c', 1, artifact))?.toString()).toBe('text');
  });

  it('keeps the first secret of an attempt, and another one for the next', async () => {
    const own = vault();
    const kept = async (attempt: number, text: string) =>
      (await own.keeperFor('c', attempt)('key', async () => Buffer.from(text))).toString();
    expect([await kept(1, 'a'), await kept(1, 'b'), await kept(2, 'c')]).toEqual(['a', 'a', 'c']);
  });

  it('refuses an artifact that exceeds the limit of downloads', async () => {
    const store = (bytes: number) =>
      vault().store('c', 1, { name: 'bootstrap.ign', content: Buffer.alloc(bytes), isSecret: true });
    await expect(store(5 * MIB)).resolves.toMatchObject({ name: 'bootstrap.ign' });
    await expect(store(5 * MIB + 1)).rejects.toThrow(/bootstrap\.ign has 5242881 bytes.*Remove large manifests/);
  });
});
