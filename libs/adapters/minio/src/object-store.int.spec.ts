import { needsServer, objectStoreContract } from '@muster/testing';
import { minioObjectStore } from './object-store';

needsServer('MINIO_URL', 'http://key:secret@127.0.0.1:9000/bucket', 'minioObjectStore', (url) => {
  objectStoreContract('minioObjectStore', async () => ({
    objects: await minioObjectStore({ url }),
    close: async () => undefined,
  }));
});
