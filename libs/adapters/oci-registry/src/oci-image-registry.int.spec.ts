import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSendHttp } from '@muster/host-api';
import type { ExtractedFile, ImageRegistry, SendHttp } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { hasRegistry, REGISTRY_CREDENTIALS, startTestRegistry, type TestRegistry } from '@muster/testing/registry';
import { type PushedRelease, pushRelease } from '@muster/testing/release-image';
import { blobCache } from './blob-cache';
import type { MirrorRule } from './image-reference';
import { ociImageRegistry } from './oci-image-registry';
import { parsePullSecret } from './registry-client';
import { extractInstaller, type InstallerKind, readCoreosVersion, readRelease } from './release';

const { signal } = new AbortController();
const INSTALLER = Buffer.from(`#!/bin/sh\necho openshift-install 4.18.3\n# ${randomBytes(200_000).toString('hex')}\n`);
const isMissing = !hasRegistry();

const ZSTD_BLOCK_BYTES_MAX = 128 * 1024;

/** Returns a zstd frame of blocks that are not compressed: Node 20 has no compressor. */
function zstdFrame(content: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const parts: Buffer[] = [header];
  for (let at = 0; at < content.length; at += ZSTD_BLOCK_BYTES_MAX) {
    const block = content.subarray(at, at + ZSTD_BLOCK_BYTES_MAX);
    const isLast = at + block.length === content.length;
    const size = Buffer.alloc(3);
    size.writeUIntLE(block.length * 8 + Number(isLast), 0, 3);
    parts.push(size, block);
  }
  return Buffer.concat(parts);
}

async function* firstBytes(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const chunk of body) {
    if (chunk.length > left) {
      yield chunk.subarray(0, left);
      throw new Error('the connection broke off');
    }
    left -= chunk.length;
    yield chunk;
  }
}

(isMissing ? describe.skip : describe)(
  `image registry${isMissing ? ' (skipped: without docker-registry)' : ''}`,
  () => {
    const folder = temporaryDirectory();
    let server: TestRegistry;
    let pushed: PushedRelease;
    const openings: { close(): void }[] = [];
    /** Bytes after which the connection of the next blobs is closed. */
    let breaks: number[] = [];
    const breaking =
      (send: SendHttp): SendHttp =>
      async (request, stop) => {
        const answer = await send(request, stop);
        const limit = request.url.includes('/blobs/') ? breaks.shift() : undefined;
        return limit === undefined ? answer : { ...answer, body: firstBytes(answer.body, limit) };
      };

    const open = (
      options: {
        readonly secret?: string;
        readonly mirrors?: readonly MirrorRule[];
        readonly bytesMax?: number;
        readonly cache?: string;
        readonly blobSilenceMsMax?: number;
      } = {},
    ): Promise<ImageRegistry> => {
      const connections = createSendHttp({ caPem: server.caPem });
      const ofBlobs = createSendHttp({ caPem: server.caPem, silenceMsMax: options.blobSilenceMsMax });
      openings.push(connections, ofBlobs);
      return ociImageRegistry({
        send: breaking((request, stop) =>
          (request.url.includes('/blobs/') ? ofBlobs : connections).send(request, stop),
        ),
        pullSecret: parsePullSecret(
          options.secret ?? JSON.stringify({ auths: { [server.host]: { auth: REGISTRY_CREDENTIALS } } }),
        ),
        sleep: async () => undefined,
        random: () => 0,
        nowMs: () => performance.now(),
        mirrors: options.mirrors ?? [],
        cache: blobCache(options.cache ?? mkdtempSync(join(folder.path, 'cache-')), options.bytesMax ?? 1e9),
      });
    };

    beforeAll(async () => {
      server = await startTestRegistry();
      pushed = await pushRelease(server, server.host, {
        version: '4.18.3',
        installer: INSTALLER,
        coreosVersion: '418.94.202501010000-0',
      });
    });
    afterAll(async () => {
      for (const opening of openings) opening.close();
      await server.stop();
      folder.remove();
    });
    beforeEach(() => {
      server.requests.splice(0);
      server.disturb = () => undefined;
      breaks = [];
    });

    const release = (): string => `${server.host}/${pushed.name}`;
    const multi = (): string => release().replace(/-x86_64$/, '-multi');
    const installerOf = async (registry: ImageRegistry, kind: InstallerKind = 'standard'): Promise<ExtractedFile> => {
      const found = await readRelease(registry, release(), 'amd64', signal);
      return extractInstaller(registry, found, release(), 'amd64', kind, signal);
    };
    const blobRequests = (): readonly string[] => server.requests.filter((line) => line.includes('/blobs/'));

    it('reads layers with zstd compression', async () => {
      const image = await server.pushImage('zstd/mco', [{ 'usr/bin/mcd': INSTALLER }], { compress: zstdFrame });
      const file = await (await open()).extractFile(`${server.host}/zstd/mco@${image}`, 'amd64', 'usr/bin/mcd', signal);
      expect(readFileSync(file.path).equals(INSTALLER)).toBe(true);
    });

    it('follows links, and uses the file of the uppermost layer', async () => {
      const image = await server.pushImage('layers/oc', [
        { 'usr/bin/oc': 'an older oc' },
        { 'usr/bin/oc': INSTALLER, 'usr/bin/kubectl': 'link:oc' },
      ]);
      const file = await (
        await open()
      ).extractFile(`${server.host}/layers/oc@${image}`, 'amd64', 'usr/bin/kubectl', signal);
      expect(readFileSync(file.path).equals(INSTALLER)).toBe(true);
    });

    it('lists the components of a release and extracts its installer', async () => {
      const registry = await open();
      const found = await readRelease(registry, release(), 'amd64', signal);
      expect(found.version).toBe('4.18.3');
      expect(Object.fromEntries(found.images)).toEqual(pushed.components);
      const { path } = await installerOf(registry);
      expect(readFileSync(path).equals(INSTALLER)).toBe(true);
      expect(execFileSync(path, { encoding: 'utf8' })).toBe('openshift-install 4.18.3\n');
      expect(await readCoreosVersion(registry, release(), 'amd64', 'x86_64', signal)).toBe('418.94.202501010000-0');
      expect(await readCoreosVersion(registry, release(), 'amd64', 's390x', signal)).toBe('');
      expect(await registry.architectures(multi(), signal)).toEqual(['amd64', 'arm64']);
    });

    it('reads each image once', async () => {
      const cache = mkdtempSync(join(folder.path, 'cache-'));
      expect((await installerOf(await open({ cache }))).wasCached).toBe(false);
      server.requests.splice(0);
      expect((await installerOf(await open({ cache }))).wasCached).toBe(true);
      expect(blobRequests()).toEqual([]);
    });

    it.each([
      ['are empty', () => Buffer.alloc(0)],
      ['contain other bytes', (file: Buffer) => Buffer.alloc(file.length)],
    ])('reads an image again when its files in the cache %s after a power loss', async (_, damaged) => {
      const cache = mkdtempSync(join(folder.path, 'cache-'));
      await installerOf(await open({ cache }));
      for (const path of readdirSync(cache).map((name) => join(cache, name)))
        if (!path.endsWith('.sha256')) writeFileSync(path, damaged(readFileSync(path)));
      server.requests.splice(0);
      const { path, wasCached } = await installerOf(await open({ cache }));
      expect(wasCached).toBe(false);
      expect(readFileSync(path).equals(INSTALLER)).toBe(true);
      expect(blobRequests().length).toBeGreaterThan(0);
      expect((await installerOf(await open({ cache }))).wasCached).toBe(true);
    });

    it('continues an interrupted download', async () => {
      const registry = await open();
      await readRelease(registry, release(), 'amd64', signal);
      server.requests.splice(0);
      breaks = [100, 200];
      const { path } = await installerOf(registry);
      expect(readFileSync(path).equals(INSTALLER)).toBe(true);
      const ranges = blobRequests().map((line) => line.split(' ')[2]);
      expect(ranges).toEqual([undefined, 'bytes=100-', 'bytes=300-']);
    });

    it('continues a download that is interrupted often, as long as it makes progress', async () => {
      const registry = await open();
      await readRelease(registry, release(), 'amd64', signal);
      server.requests.splice(0);
      breaks = Array.from({ length: 12 }, () => 1_000);
      const { path } = await installerOf(registry);
      expect(readFileSync(path).equals(INSTALLER)).toBe(true);
      expect(blobRequests()).toHaveLength(13);
    });

    it('ends a download that stopped, with the image, the registry and the reason', async () => {
      const cache = mkdtempSync(join(folder.path, 'cache-'));
      await readRelease(await open({ cache }), release(), 'amd64', signal);
      const registry = await open({ cache, blobSilenceMsMax: 50 });
      const bytes = [1_000];
      server.disturb = (path) => (path.includes('/blobs/') ? { stallsAfterBytes: bytes.pop() ?? 0 } : undefined);
      const failure = await installerOf(registry).catch((error: unknown) => error);
      expect(failure).toMatchObject({ fault: 'unreachable', registry: server.host });
      expect(String(failure)).toMatch(
        /\/ocp-v4\.0-art-dev.* cannot be read from .*: .*(no answer within|no more data for) 0\.05 s/,
      );
    });

    it('uses a mirror with the credentials of the mirror', async () => {
      const mirrors = [
        {
          source: 'quay.io/openshift-release-dev',
          mirrors: ['127.0.0.1:1/none', `${server.host}/openshift-release-dev`],
          neverContactSource: true,
        },
      ];
      const registry = await open({ mirrors });
      const { layers } = await registry.manifest(`quay.io/${pushed.name}`, 'amd64', signal);
      expect(layers).toHaveLength(2);
    });

    it.each([
      [
        'a wrong password',
        { secret: '{"auths":{"HOST":{"auth":"d3Jvbmc6d3Jvbmc="}}}' },
        /does not accept the credentials.*401/,
      ],
      ['no credentials', { secret: '' }, /does not accept the credentials.*401/],
    ])('names the cause when a release cannot be read with %s', async (_, { secret }, reason) => {
      const registry = await open({ secret: secret.replace('HOST', server.host) });
      await expect(registry.manifest(release(), 'amd64', signal)).rejects.toThrow(reason);
    });

    it.each([
      [
        'a tag that does not exist',
        '/none:4.99',
        'amd64',
        /none:4.99 cannot be read from .*the registry does not have it \(404/,
      ],
      ['an architecture that it lacks', 'MULTI', 's390x', /it has no s390x; available: amd64, arm64/],
      ['a reference that is none', '/OCP/Release', 'amd64', /is not an image reference/],
    ])('names the cause when a release cannot be read with %s', async (_, image, architecture, reason) => {
      const registry = await open();
      const wanted = image === 'MULTI' ? multi() : server.host + image;
      await expect(registry.manifest(wanted, architecture, signal)).rejects.toThrow(reason);
    });

    it('refuses a file of an image that is for another architecture only', async () => {
      const image = `${server.host}/arm/oc@${await server.pushImage('arm/oc', [{ oc: 'oc' }], { architecture: 'arm64' })}`;
      const registry = await open();
      const read = (architecture: string) => registry.extractFile(image, architecture, 'oc', signal);
      await expect(read('amd64')).rejects.toMatchObject({
        fault: 'content',
        reason: 'it is for arm64 and not for amd64',
      });
      expect((await read('arm64')).wasCached).toBe(false);
      await expect(read('amd64')).rejects.toThrow(/not for amd64/);
    });

    it('lists the existing components when a component is missing', async () => {
      const registry = await open();
      await expect(installerOf(registry, 'baremetal')).rejects.toThrow(
        /4.18.3 has no component baremetal-installer; it has installer, machine-config-operator, must-gather/,
      );
      await expect(registry.extractFile(release(), 'amd64', 'no/such/file', signal)).rejects.toThrow(
        /no file \/no\/such\/file/,
      );
    });

    it('refuses a layer with other bytes than its digest', async () => {
      server.disturb = (path) => (path.includes('/blobs/') ? { isFlipped: true } : undefined);
      const failure = readRelease(await open(), release(), 'amd64', signal);
      await expect(failure).rejects.toThrow(/the digest of the bytes is [0-9a-f]{64} and not/);
      await expect(failure).rejects.toMatchObject({ fault: 'corrupt' });
      // The download is repeated once, because the connection may have changed the bytes.
      expect(blobRequests()).toHaveLength(2);
    });

    it('reports a fault of the cache when the copy cannot be written', async () => {
      const cache = mkdtempSync(join(folder.path, 'cache-'));
      const registry = await open({ cache });
      const { layers } = await registry.manifest(release(), 'amd64', signal);
      // A folder at the path of the copy also fails for root.
      const part = `${layers.at(-1)?.digest.replace(':', '-')}.part`;
      execFileSync('mkdir', [join(cache, part)]);
      writeFileSync(join(cache, part, 'kept'), '');
      await expect(readRelease(registry, release(), 'amd64', signal)).rejects.toMatchObject({ fault: 'disk' });
      // The configuration of the image, and the layer.
      expect(blobRequests()).toHaveLength(2);
    });

    it('keeps the cache within its limit', async () => {
      const cache = mkdtempSync(join(folder.path, 'cache-'));
      const registry = await open({ cache, bytesMax: 600_000 });
      await installerOf(registry);
      const bytes = readdirSync(cache).reduce((sum, name) => sum + readFileSync(join(cache, name)).length, 0);
      expect(bytes).toBeLessThanOrEqual(600_000);
    });
  },
);
