import { needsServer, objectAreasContract, objectStoreContract } from '@muster/testing';
import { minioObjectAreas, minioObjectStore } from './object-store';

needsServer('MINIO_URL', 'http://key:secret@127.0.0.1:9000/bucket', 'minioObjectStore', (url) => {
  objectStoreContract('minioObjectStore', async () => ({
    objects: await minioObjectStore({ url }),
    close: async () => undefined,
  }));
  objectAreasContract('minioObjectAreas', () => minioObjectAreas({ url, prefix: 'areas/' }));
});

describe('minioObjectStore', () => {
  it('says which address does not answer, without the secret', async () => {
    const attempt = minioObjectStore({ url: 'http://key:hidden@127.0.0.1:1/bucket' });
    await expect(attempt).rejects.toThrow(/The object store at 127\.0\.0\.1:1 does not give the bucket bucket/);
    await expect(attempt).rejects.not.toThrow(/hidden/);
  });
});
