import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { createBaseImage } from '@muster/base-image';
import { createMinimalIso, readBootIsoLayout } from '@muster/boot-image';
import { fetchRootfs } from './discovery-image';

describe('a simulated machine that starts from an image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-rootfs-'));
  let server: Server;
  let asked: string[];
  beforeAll(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.statusCode = request.url === '/rootfs' ? 200 : 404;
      response.end('root file system');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await createBaseImage({ outPath: join(folder, 'base.iso') });
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('downloads its root file system when the image has none, and fails when that is not possible', async () => {
    const base = await openFileByteSource(join(folder, 'base.iso'));
    try {
      const layout = await readBootIsoLayout(base);
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { signal } = new AbortController();
      expect(await fetchRootfs(base, signal)).toBe(0);
      expect(asked).toEqual([]);
      expect(await fetchRootfs((await createMinimalIso(base, layout, `${at}/rootfs`)).source, signal)).toBe(16);
      const broken = await createMinimalIso(base, layout, `${at}/absent`);
      await expect(fetchRootfs(broken.source, signal)).rejects.toThrow(/answered with 404/);
    } finally {
      await base.close();
    }
  });
});
