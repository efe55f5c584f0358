import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Unavailable } from '@muster/ports';
import { needsServer, objectAreasContract, objectStoreContract } from '@muster/testing';
import { minioObjectAreas, minioObjectStore } from './object-store';

needsServer('MINIO_URL', 'http://key:secret@127.0.0.1:9000/bucket', 'minioObjectStore', (url) => {
  objectStoreContract('minioObjectStore', async () => ({
    objects: await minioObjectStore({ url }),
    close: async () => undefined,
  }));
  objectAreasContract('minioObjectAreas', () => minioObjectAreas({ url, prefix: 'areas/' }));
});

describe('object store on an S3 server that is not available', () => {
  it('throws Unavailable with the address and without the secret', async () => {
    const attempt = minioObjectStore({ url: 'http://key:hidden@127.0.0.1:1/bucket' });
    await expect(attempt).rejects.toMatchObject({ server: 'S3 at 127.0.0.1:1', isRefused: false });
    await expect(attempt).rejects.not.toThrow(/hidden/);
  });

  it.each([
    [503, 'SlowDown', false],
    [500, 'InternalError', false],
    [403, 'SignatureDoesNotMatch', true],
  ])('converts the answer %i %s to the error of the port', async (status, code, isRefused) => {
    const server = createServer((_, answer) => {
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const attempt = minioObjectStore({ url: `http://key:hidden@127.0.0.1:${port}/bucket` });
    await expect(attempt).rejects.toBeInstanceOf(Unavailable);
    await expect(attempt).rejects.toMatchObject({ isRefused });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('throws Unavailable when the connection is reset', async () => {
    const server = createServer((request) => request.socket.resetAndDestroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const attempt = minioObjectStore({ url: `http://key:hidden@127.0.0.1:${port}/bucket` });
    await expect(attempt).rejects.toBeInstanceOf(Unavailable);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
