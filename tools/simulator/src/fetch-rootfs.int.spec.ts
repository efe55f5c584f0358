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
      const isStarting = request.url?.startsWith('/late') === true && asked.length < 3;
      response.statusCode = isStarting ? 503 : request.url === '/absent' ? 404 : 200;
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
      const reasons: string[] = [];
      const options = {
        signal: new AbortController().signal,
        timer: { sleep: async () => undefined },
        onRetry: (reason: string) => void reasons.push(reason),
      };
      expect(await fetchRootfs(base, options)).toBe(0);
      expect(asked).toEqual([]);
      expect(await fetchRootfs((await createMinimalIso(base, layout, `${at}/rootfs`)).source, options)).toBe(16);
      const broken = await createMinimalIso(base, layout, `${at}/absent`);
      await expect(fetchRootfs(broken.source, options)).rejects.toThrow(/answered with 404/);
      expect([asked, reasons]).toEqual([['/rootfs', '/absent'], []]);
      // A real machine repeats the request while the service starts.
      const late = await createMinimalIso(base, layout, `${at}/late?token=secret`);
      asked.length = 0;
      expect(await fetchRootfs(late.source, options)).toBe(16);
      expect(asked).toHaveLength(3);
      expect(reasons).toEqual([`The machine cannot start: its root file system at ${at}/late is answered with 503.`]);
    } finally {
      await base.close();
    }
  });
});
