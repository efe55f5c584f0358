import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { loadOrCreateNatsTrust } from '@muster/adapter-nats';
import { createBaseImage } from '@muster/base-image';
import { bufferByteSource, readBootIsoLayout, readIgnitionConfig, readKargs } from '@muster/boot-image';
import { IgnitionService, type MusterEvent, toStoredData } from '@muster/contracts';
import { callService, type Platform, type RunningService } from '@muster/nest-kit';
import { type JsonObject, NO_STREAM } from '@muster/ports';
import { readBootImage } from '@muster/service-agent';
import { startIgnition } from '@muster/service-ignition';
import { startImage } from '@muster/service-image';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import type { LoggerService } from '@nestjs/common';
import 'reflect-metadata';

const INFRA_ENV_ID = 'e1e1e1e1-0000-4000-8000-000000000002';
const PULL_SECRET = '{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}';
const SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

const isInstalled = spawnSync('xorriso', ['-version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: xorriso is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;
const hasValidator = spawnSync('ignition-validate', ['--version']).error === undefined;
const whenValidator = hasValidator ? it : it.skip;
const noValidator = hasValidator ? '' : ' (skipped: the Debian package ignition is not installed)';

whenPresent(`an image downloaded from the services, on a base image of our own${missing}`, () => {
  const directory = temporaryDirectory();
  let nats: NatsServer;
  let platform: TestPlatform;
  let services: RunningService[];
  let url: string;
  let image: Buffer;
  let ignition: string;

  beforeAll(async () => {
    const basePath = join(directory.path, 'base.iso');
    await createBaseImage({ outPath: basePath });
    const trustFile = join(directory.path, 'trust.json');
    await loadOrCreateNatsTrust(trustFile);
    nats = await startNatsServer();
    platform = await openTestPlatform({
      natsUrl: nats.url,
      environment: {
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: '0',
        NATS_TRUST_FILE: trustFile,
        AGENT_NATS_URL: nats.url,
        OS_IMAGES: JSON.stringify([
          { openshift_version: '4.18', cpu_architecture: 'x86_64', url: pathToFileURL(basePath).href, version: '418' },
        ]),
      },
    });
    await platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from(PULL_SECRET));
    await register(platform);
    services = [await startIgnition(platform, SILENT), await startImage(platform, SILENT)];
    url = `${services[1]?.endpoints[0]}/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`;
    image = Buffer.from(await (await fetch(url)).arrayBuffer());
    const context = { commandId: 'c', correlationId: 'c', actor: 'user' };
    const method = IgnitionService.method.renderDiscoveryIgnition;
    const answer = await callService(
      platform.requests,
      method,
      { infraEnvId: INFRA_ENV_ID, isoType: '', withoutSecrets: false },
      context,
    );
    ignition = Buffer.from(answer.ignition, 'base64').toString();
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    await platform.close();
    await nats.stop();
    directory.remove();
  });

  it('contains exactly the document that ignition renders', async () => {
    const source = bufferByteSource(image);
    const { ignition: area } = await readBootIsoLayout(source);
    expect(Buffer.from((await readIgnitionConfig(source, area)) ?? '').toString()).toBe(ignition);
    expect(ignition).toContain(`--infra-env-id ${INFRA_ENV_ID}`);
  });

  it('contains the address of the service, the identity of the agent and the address of the bus', async () => {
    const settings = await readBootImage(bufferByteSource(image));
    expect(settings).toMatchObject({
      serviceUrl: 'http://127.0.0.1:8090',
      infraEnvId: INFRA_ENV_ID,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
      isInsecure: false,
      nats: { url: nats.url },
    });
  });

  it('contains the kernel arguments of the infra-env in addition to its own, in every boot menu', async () => {
    const { kargs } = await readBootIsoLayout(bufferByteSource(image));
    if (!kargs) throw new Error('the base image has space for kernel arguments');
    expect(await readKargs(bufferByteSource(image), kargs)).toBe(`${kargs.defaultKargs} rd.muster=1 console="a b"`);
  });

  it('differs from the base image in these areas only', async () => {
    const base = await openFileByteSource(join(directory.path, 'base.iso'));
    try {
      const { ignition: area, kargs } = await readBootIsoLayout(base);
      const restored = Buffer.from(image);
      const areas = [area, ...(kargs?.places ?? []).map(({ offset }) => ({ offset, length: kargs?.length ?? 0 }))];
      for (const { offset, length } of areas) restored.set(await base.read(offset, length), offset);
      expect(restored.equals(Buffer.from(await base.read(0, base.size)))).toBe(true);
    } finally {
      await base.close();
    }
  });

  it('has the volume and boot records of the base image according to xorriso', () => {
    const downloaded = join(directory.path, 'downloaded.iso');
    writeFileSync(downloaded, image);
    const report = (path: string): string =>
      execFileSync('xorriso', ['-indev', path, '-pvd_info', '-report_el_torito', 'plain'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).replace(path, '');
    expect(report(downloaded)).toBe(report(join(directory.path, 'base.iso')));
  });

  it('has the same bytes again, also in ranges', async () => {
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(whole.equals(image)).toBe(true);
    const middle = Math.floor(image.length / 2);
    const parts = [`bytes=0-${middle - 1}`, `bytes=${middle}-`].map(async (range) =>
      Buffer.from(await (await fetch(url, { headers: { range } })).arrayBuffer()),
    );
    expect(Buffer.concat(await Promise.all(parts)).equals(image)).toBe(true);
  });

  whenValidator(`contains a config that Ignition's validator accepts${noValidator}`, () => {
    const { status, stderr } = spawnSync('ignition-validate', ['-'], { input: ignition, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

async function register({ eventStore }: Platform): Promise<void> {
  const kernelArguments = JSON.stringify([
    { operation: 'append', value: 'rd.muster=1' },
    { operation: 'append', value: 'console="a b"' },
  ]);
  const event: MusterEvent = {
    type: 'InfraEnvRegistered',
    data: { infraEnvId: INFRA_ENV_ID, settings: { imageType: 'full-iso', kernelArguments }, pullSecretSet: true },
  };
  const metadata = { commandId: 'c', correlationId: 'c', actor: 'user', occurredAt: new Date().toISOString() };
  const data = toStoredData(event) as JsonObject;
  await eventStore.append(`infraEnv-${INFRA_ENV_ID}`, NO_STREAM, [{ id: 'i', type: event.type, data, metadata }]);
}
