import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';

const SIMULATOR = join(__dirname, '..', 'dist', 'main.js');

describe('the simulator', () => {
  const folder = temporaryDirectory();

  it.each(['SIGINT', 'SIGTERM'] as const)('removes the part of an image that it received before %s', async (signal) => {
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
  });
});
