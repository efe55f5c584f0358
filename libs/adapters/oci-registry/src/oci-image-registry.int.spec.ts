import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ImageRegistry, SendHttp } from '@muster/ports';
import type { MirrorRule } from './image-reference';
import { ociImageRegistry } from './oci-image-registry';
import { parsePullSecret } from './registry-client';
import { extractInstaller, readCoreosStream, readRelease } from './release';
import {
  CREDENTIALS,
  freePort,
  pushBlob,
  putManifest,
  selfSigned,
  tarOf,
  writeRegistryConfig,
  zstdFrame,
} from './test-registry.fixture.spec';

const REGISTRY = 'docker-registry';
const isMissing = spawnSync(REGISTRY, ['--version']).error !== undefined;
const { signal } = new AbortController();
const INSTALLER = Buffer.from(`#!/bin/sh\necho openshift-install 4.18.3\n# ${randomBytes(200_000).toString('hex')}\n`);
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';

(isMissing ? describe.skip : describe)(`image registry${isMissing ? ` (skipped: without ${REGISTRY})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'oci-registry-'));
  let server: ChildProcess;
  let host = '';
  let caPem = '';
  const requests: string[] = [];
  /** Bytes after which the connection of the next answers is closed. */
  let breaks: number[] = [];

  /** HTTPS with the certificate authority of this test. */
  const send: SendHttp = ({ headers, method, url }, stop) =>
    new Promise((resolve, reject) => {
      requests.push(`${method} ${new URL(url).pathname}${headers['range'] ? ` ${headers['range']}` : ''}`);
      const limit = url.includes('/blobs/') ? breaks.shift() : undefined;
      request(url, { method, headers, ca: caPem, signal: stop, agent: false }, (answer) => {
        const { headers: found, statusCode = 0 } = answer;
        const texts = Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
        async function* cut(): AsyncGenerator<Uint8Array> {
          let sent = 0;
          for await (const chunk of answer) {
            const bytes = chunk as Buffer;
            if (limit !== undefined && sent + bytes.length > limit) {
              yield bytes.subarray(0, limit - sent);
              throw new Error('the connection broke off');
            }
            sent += bytes.length;
            yield bytes;
          }
        }
        resolve({ status: statusCode, headers: texts, body: cut() });
      })
        .once('error', reject)
        .end();
    });

  const open = (
    options: {
      readonly secret?: string;
      readonly mirrors?: readonly MirrorRule[];
      readonly bytesMax?: number;
      readonly cache?: string;
    } = {},
  ): Promise<ImageRegistry> =>
    ociImageRegistry({
      send,
      pullSecret: parsePullSecret(options.secret ?? JSON.stringify({ auths: { [host]: { auth: CREDENTIALS } } })),
      sleep: async () => undefined,
      random: () => 0,
      mirrors: options.mirrors ?? [],
      cacheDirectory: options.cache ?? mkdtempSync(join(folder, 'cache-')),
      cacheBytesMax: options.bytesMax ?? 1e9,
    });

  beforeAll(async () => {
    const port = await freePort();
    host = `127.0.0.1:${port}`;
    const { certPem, keyPem } = await selfSigned();
    caPem = certPem;
    writeRegistryConfig(folder, host, certPem, keyPem);
    server = spawn(REGISTRY, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
    for (let waited = 0; waited < 100; waited += 1) {
      const answer = await send({ method: 'GET', url: `https://${host}/v2/`, headers: {} }, signal).catch(
        () => undefined,
      );
      if (answer) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await pushRelease();
  });
  afterAll(() => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    requests.splice(0);
    breaks = [];
  });

  /**
   * Creates a release with the layout of real releases: a payload for two architectures that refers to its components
   * by digest.
   */
  async function pushRelease(): Promise<void> {
    const installer = await pushImage('ocp/installer', [
      { 'usr/bin/openshift-install': 'an older installer' },
      { 'usr/bin/openshift-install': INSTALLER, 'usr/bin/kubectl': 'link:oc' },
    ]);
    const mco = await pushImage('ocp/mco', [{ 'usr/bin/machine-config-daemon': INSTALLER }], zstdFrame);
    const tag = (name: string, digest: string) => ({
      name,
      from: { kind: 'DockerImage', name: `${host}/ocp/${name === 'installer' ? 'installer' : 'mco'}@${digest}` },
    });
    const references = {
      kind: 'ImageStream',
      apiVersion: 'image.openshift.io/v1',
      metadata: { name: '4.18.3' },
      spec: { tags: [tag('installer', installer), tag('machine-config-operator', mco)] },
    };
    const payload = await pushImage('ocp/release', [
      {
        'release-manifests/image-references': JSON.stringify(references),
        'release-manifests/0000_50_installer_coreos-bootimages.yaml': 'kind: ConfigMap\n',
      },
    ]);
    const manifests = ['amd64', 'arm64'].map((architecture) => ({
      mediaType: MANIFEST,
      digest: payload,
      size: 1,
      platform: { architecture, os: 'linux' },
    }));
    await putManifest(caPem, host, 'ocp/release', '4.18.3', { schemaVersion: 2, mediaType: INDEX, manifests }, INDEX);
  }

  async function pushImage(
    repository: string,
    layers: readonly { readonly [path: string]: string | Buffer }[],
    compress: (archive: Buffer) => Buffer = gzipSync,
  ): Promise<string> {
    const pushed = [];
    for (const files of layers) {
      const blob = compress(tarOf(folder, files));
      pushed.push({
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: await pushBlob(caPem, host, repository, blob),
        size: blob.length,
      });
    }
    const config = Buffer.from('{}');
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: {
        mediaType: 'application/vnd.oci.image.config.v1+json',
        digest: await pushBlob(caPem, host, repository, config),
        size: config.length,
      },
      layers: pushed,
    };
    const text = JSON.stringify(manifest);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    await putManifest(caPem, host, repository, digest, manifest, MANIFEST);
    return digest;
  }

  const release = (): string => `${host}/ocp/release:4.18.3`;

  it('reads layers with zstd compression', async () => {
    const registry = await open();
    const { images } = await readRelease(registry, release(), 'amd64', signal);
    const path = 'usr/bin/machine-config-daemon';
    const file = await registry.extractFile(images.get('machine-config-operator') ?? '', 'amd64', path, signal);
    expect(readFileSync(file).equals(INSTALLER)).toBe(true);
  });

  it('lists the components of a release and extracts its installer', async () => {
    const registry = await open();
    const found = await readRelease(registry, release(), 'amd64', signal);
    expect(found.version).toBe('4.18.3');
    expect([...found.images.keys()]).toEqual(['installer', 'machine-config-operator']);
    const path = await extractInstaller(registry, release(), 'amd64', 'standard', signal);
    expect(readFileSync(path).equals(INSTALLER)).toBe(true);
    expect(execFileSync(path, { encoding: 'utf8' })).toBe('openshift-install 4.18.3\n');
    expect(await readCoreosStream(registry, release(), 'amd64', signal)).toBe('kind: ConfigMap\n');
    expect(await registry.architectures(release(), signal)).toEqual(['amd64', 'arm64']);
  });

  it('reads each image once', async () => {
    const cache = mkdtempSync(join(folder, 'cache-'));
    await extractInstaller(await open({ cache }), release(), 'amd64', 'standard', signal);
    requests.splice(0);
    await extractInstaller(await open({ cache }), release(), 'amd64', 'standard', signal);
    expect(requests.filter((line) => line.includes('/blobs/'))).toEqual([]);
  });

  it('continues an interrupted download', async () => {
    const registry = await open();
    await readRelease(registry, release(), 'amd64', signal);
    requests.splice(0);
    breaks = [100, 200];
    const path = await extractInstaller(registry, release(), 'amd64', 'standard', signal);
    expect(readFileSync(path).equals(INSTALLER)).toBe(true);
    const ranges = requests.filter((line) => line.includes('/blobs/')).map((line) => line.split(' ')[2]);
    expect(ranges).toEqual([undefined, 'bytes=100-', 'bytes=300-']);
  });

  it('uses a mirror with the credentials of the mirror', async () => {
    const mirrors = [
      {
        source: 'quay.example.com/openshift',
        mirrors: ['127.0.0.1:1/none', `${host}/ocp`],
        neverContactSource: true,
      },
    ];
    const registry = await open({ mirrors });
    const { layers } = await registry.manifest('quay.example.com/openshift/release:4.18.3', 'amd64', signal);
    expect(layers).toHaveLength(1);
  });

  it.each([
    [
      'a wrong password',
      { secret: '{"auths":{"HOST":{"auth":"d3Jvbmc6d3Jvbmc="}}}' },
      'ocp/release:4.18.3',
      /does not accept the credentials.*401/,
    ],
    ['no credentials', { secret: '' }, 'ocp/release:4.18.3', /does not accept the credentials.*401/],
    [
      'a tag that does not exist',
      {},
      'ocp/release:4.99',
      /ocp\/release:4.99 cannot be read from .*the registry does not have it \(404/,
    ],
    ['a missing architecture', {}, 'ocp/release:4.18.3', /it has no s390x; available: amd64, arm64/],
    ['an invalid reference', {}, 'OCP/Release', /is not an image reference/],
  ])('names the cause when a release cannot be read with %s', async (name, options, image, reason) => {
    const secret = 'secret' in options ? { secret: options.secret.replace('HOST', host) } : {};
    const registry = await open(secret);
    const architecture = name.startsWith('an architecture') ? 's390x' : 'amd64';
    await expect(registry.manifest(`${host}/${image}`, architecture, signal)).rejects.toThrow(reason);
  });

  it('lists the existing components when a component is missing', async () => {
    const registry = await open();
    await expect(extractInstaller(registry, release(), 'amd64', 'baremetal', signal)).rejects.toThrow(
      /4.18.3 has no component baremetal-installer. Available: installer, machine-config-operator/,
    );
    await expect(registry.extractFile(release(), 'amd64', 'no/such/file', signal)).rejects.toThrow(
      /no file \/no\/such\/file/,
    );
  });

  it('refuses a layer with other bytes than its digest', async () => {
    const registry = await open();
    const { layers } = await registry.manifest(release(), 'amd64', signal);
    const hex = layers[0]?.digest.replace('sha256:', '') ?? '';
    const data = join(folder, 'storage/docker/registry/v2/blobs/sha256', hex.slice(0, 2), hex, 'data');
    const good = readFileSync(data);
    writeFileSync(data, Buffer.concat([good.subarray(0, -1), Buffer.from([(good.at(-1) ?? 0) ^ 1])]));
    try {
      await expect(
        registry.extractFile(release(), 'amd64', 'release-manifests/image-references', signal),
      ).rejects.toThrow(/the digest of the bytes is [0-9a-f]{64} and not/);
    } finally {
      writeFileSync(data, good);
    }
  });

  it('keeps the cache within its limit', async () => {
    const cache = mkdtempSync(join(folder, 'cache-'));
    const registry = await open({ cache, bytesMax: 600_000 });
    await extractInstaller(registry, release(), 'amd64', 'standard', signal);
    const bytes = readdirSync(cache).reduce((sum, name) => sum + readFileSync(join(cache, name)).length, 0);
    expect(bytes).toBeLessThanOrEqual(600_000);
  });
});
