import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaseImage } from '@muster/base-image';
import { bufferByteSource, customiseBootIso, readBootIsoLayout, readWhole } from '@muster/boot-image';
import { eventually } from '@muster/testing';
import { ImageRefused } from './discovery-image';
import { startFakeService } from './fake-service.fixture.spec';
import { simulatedFleet } from './simulated-fleet';

const IMAGE_BYTES_MAX = 64 * 1024 * 1024;

describe('booting from a downloaded image', () => {
  let folder: string;
  let base: string;
  let server: Server | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-boot-'));
    base = (await createBaseImage({ outPath: join(folder, 'base.iso') })).path;
  });
  afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const embed = async (ignition: object): Promise<string> => {
    const source = bufferByteSource(readFileSync(base));
    const config = Buffer.from(JSON.stringify(ignition));
    const image = await customiseBootIso(source, await readBootIsoLayout(source), { config });
    const path = join(folder, 'discovery.iso');
    writeFileSync(path, await readWhole(image, IMAGE_BYTES_MAX));
    return path;
  };
  const offer = async (path: string, statuses: number[]): Promise<string> => {
    const listening = createServer((_request, response) => {
      const status = statuses.shift() ?? 200;
      response.writeHead(status);
      if (status === 200) createReadStream(path).pipe(response);
      else response.end('not now');
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/byapikey/x/4.18/x86_64/full.iso`;
  };

  it('connects every machine to the service, infra-env and token in the image, also when the first download fails', async () => {
    const service = await startFakeService({ masters: 3, workers: 0 });
    const { serviceUrl, infraEnvId, agentVersion, token } = service.settings;
    const unit = `[Service]\nEnvironment=PULL_SECRET_TOKEN=${token}\nExecStart=/usr/local/bin/agent --url ${serviceUrl} --infra-env-id ${infraEnvId} --agent-version ${agentVersion} --insecure=false\n`;
    const path = await embed({
      ignition: { version: '3.1.0' },
      systemd: { units: [{ name: 'agent.service', enabled: true, contents: unit }] },
    });
    const url = await offer(path, [503, 200]);
    const fleet = simulatedFleet({ machines: 3, seed: 'boot', timeScale: 2_000, pollMsMin: 10 });
    const { bytes } = await fleet.bootFromUrl(url);
    await eventually('all have registered', () => service.hosts.size === 3);
    await fleet.powerOff();
    await service.stop();
    expect(bytes).toBe(readFileSync(path).length);
    expect([...service.hosts.keys()].sort()).toEqual(fleet.machines.map(({ hostId }) => hostId).sort());
  });

  it('is refused with the reason when the image has no Ignition config', async () => {
    const fleet = simulatedFleet({ machines: 1, seed: 'boot', timeScale: 2_000 });
    await expect(fleet.bootFromFile(base)).rejects.toThrow('the image contains no Ignition config');
  });

  it('does not repeat the download of a refused URL', async () => {
    const statuses = [403, 200];
    const fleet = simulatedFleet({ machines: 1, seed: 'boot', timeScale: 2_000 });
    await expect(fleet.bootFromUrl(await offer(base, statuses))).rejects.toThrow(ImageRefused);
    expect(statuses).toEqual([200]);
  });

  it('reports why a download is repeated, once for each reason', async () => {
    const url = await offer(base, [503, 503, 500, 500, 404]);
    const reasons: string[] = [];
    const observer = { onImageRetry: (reason: string) => void reasons.push(reason) };
    const fleet = simulatedFleet({ machines: 1, seed: 'boot', timeScale: 2_000, pollMsMin: 1, observer });
    await expect(fleet.bootFromUrl(url)).rejects.toThrow(ImageRefused);
    expect(reasons).toEqual([503, 500].map((status) => `The image was refused with HTTP ${status}: not now`));
  });

  it('reports the cause when the server is not reached', async () => {
    const url = await offer(base, []);
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    const stop = new AbortController();
    const reasons: string[] = [];
    const onImageRetry = (reason: string): void => {
      reasons.push(reason);
      stop.abort();
    };
    const fleet = simulatedFleet({ machines: 1, seed: 'boot', timeScale: 2_000, observer: { onImageRetry } });
    await expect(fleet.bootFromUrl(url, stop.signal)).rejects.toThrow();
    expect(reasons).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it.each(['full.iso', 'localhost:8888/byapikey/x/4.18/x86_64/full.iso', 'file:///tmp/full.iso'])(
    'does not try an address that is no HTTP URL: %s',
    async (url) => {
      const reasons: string[] = [];
      const observer = { onImageRetry: (reason: string) => void reasons.push(reason) };
      const fleet = simulatedFleet({ machines: 1, seed: 'boot', timeScale: 2_000, pollMsMin: 1, observer });
      await expect(fleet.bootFromUrl(url)).rejects.toThrow('Expected: a URL with http:// or https://');
      expect(reasons).toEqual([]);
    },
  );
});
