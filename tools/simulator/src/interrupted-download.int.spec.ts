import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createBaseImage } from '@muster/base-image';
import { bufferByteSource, customiseBootIso, readBootIsoLayout, readWhole } from '@muster/boot-image';
import { temporaryDirectory } from '@muster/testing';

const SIMULATOR = join(__dirname, '..', 'dist', 'main.js');

describe('the simulator', () => {
  const folder = temporaryDirectory();

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'removes the part of an image that it received before %s',
    async (signal) => {
      const server = createServer((_request, response) => void response.writeHead(200).write('a part of an image'));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/full.iso`;
      const environment = { ...process.env, TMPDIR: folder.path };
      const child = spawn(process.execPath, [SIMULATOR, '--image-url', url], { env: environment, stdio: 'ignore' });
      const ended = once(child, 'exit');
      try {
        await once(server, 'request');
        expect(readdirSync(folder.path)).toEqual([expect.stringMatching(/^muster-image-/)]);
        child.kill(signal);
        expect(await ended).toEqual([0, null]);
        expect(readdirSync(folder.path)).toEqual([]);
      } finally {
        child.kill('SIGKILL');
        server.closeAllConnections();
        server.close();
      }
    },
  );

  it('ends and removes its files when the program that reads its output has ended', async () => {
    const { path } = await createBaseImage({ outPath: join(folder.path, 'base.iso') });
    const source = bufferByteSource(readFileSync(path));
    const unit = `[Service]\nExecStart=/usr/local/bin/agent --url http://127.0.0.1:9 --infra-env-id ${randomUUID()} --agent-version x\n`;
    const config = Buffer.from(
      JSON.stringify({
        ignition: { version: '3.1.0' },
        systemd: { units: [{ name: 'agent.service', enabled: true, contents: unit }] },
      }),
    );
    const image = await customiseBootIso(source, await readBootIsoLayout(source), { config });
    const bytes = await readWhole(image, 64 * 1024 * 1024);
    const server = createServer((_request, response) => void response.end(bytes));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/full.iso`;
    const files = temporaryDirectory();
    const child = spawn(process.execPath, [SIMULATOR, '--image-url', url], {
      env: { ...process.env, TMPDIR: files.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.destroy();
    try {
      expect(await ended).toEqual([0, null]);
      expect(errors).toBe('');
      expect(readdirSync(files.path)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      server.closeAllConnections();
      server.close();
    }
  });
});
