import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { downloadImage } from './discovery-image';

describe('the download of an image from a service that starts', () => {
  const folder = temporaryDirectory();
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => folder.remove());

  /** Downloads from a service that answers 503 to the first requests. Each wait takes this much time. */
  async function download({ refusals, waitMs }: { readonly refusals: number; readonly waitMs: number }) {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(requests > refusals ? 200 : 503).end(requests > refusals ? 'image' : 'starting');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const path = join(folder.path, 'discovery.iso');
    const sleep = async (): Promise<void> => void (nowMs += waitMs);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/full.iso`;
    const outcome = await downloadImage({ url, path, timer: { sleep }, signal: new AbortController().signal }).then(
      () => readFileSync(path, 'utf8'),
      (error: unknown) => String(error),
    );
    server.closeAllConnections();
    server.close();
    return { outcome, requests };
  }

  it('waits for the service as long as a real machine, whose time does not pass faster', async () => {
    expect(await download({ refusals: 150, waitMs: 200 })).toEqual({ outcome: 'image', requests: 151 });
  });

  it('ends after ten minutes', async () => {
    const { outcome, requests } = await download({ refusals: 1_000, waitMs: 60_000 });
    expect(outcome).toBe('Error: The image was refused with HTTP 503: starting');
    expect(requests).toBe(11);
  });
});
