import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  bufferByteSource,
  NETWORK_AREA_PATH,
  openIso,
  readBootIsoLayout,
  readIgnitionConfig,
  readInitramfs,
  readKargs,
} from '@muster/boot-image';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';

const PROGRAM = randomBytes(200_000);
const INITRD = '/images/pxeboot/initrd.img';
const UNIT = 'etc/systemd/system/muster-host-from-ramdisk.service';
const binaries = temporaryDirectory();
let nats: NatsServer;
let stage: ImageStage;

const openImages = (): Promise<ImageStage> =>
  openImageStage(nats.url, { MUSTER_HOST_BINARIES: binaries.path, MUSTER_HOST_BINARY: 'in-image' }, undefined, [
    { file: coreOsIso('x86_64'), openshift_version: '4.20', cpu_architecture: 'x86_64', version: '420' },
    { file: coreOsIso('s390x'), openshift_version: '4.20', cpu_architecture: 's390x', version: '420z' },
    { file: coreOsIso('x86_64', 1), openshift_version: '4.19', cpu_architecture: 'ppc64le', version: '419p' },
  ]);

beforeAll(async () => {
  const sha256 = createHash('sha256').update(PROGRAM).digest('hex');
  const entries = ['x86_64', 's390x'].map((architecture) => {
    const file = `muster-host-${architecture}`;
    writeFileSync(join(binaries.path, file), PROGRAM);
    writeFileSync(join(binaries.path, `${file}.gz`), gzipSync(PROGRAM));
    return { architecture, file, sha256, bytes: PROGRAM.length };
  });
  writeFileSync(join(binaries.path, 'index.json'), JSON.stringify({ version: '1', binaries: entries }));
  nats = await startNatsServer();
  stage = await openImages();
  await stage.givenKernelArguments(JSON.stringify([{ operation: 'append', value: 'site=remote' }]));
});
afterAll(async () => {
  await stage.close();
  await nats.stop();
  binaries.remove();
});

const download = async (path: string): Promise<Buffer> => {
  const response = await fetch(`${stage.url}${path}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
};
/** Files of the folder that this process has open. */
const openFilesIn = (folder: string): readonly string[] =>
  readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return '';
      }
    })
    .filter((path) => path.startsWith(folder));
const executableIn = (ramdisk: Uint8Array, architecture = 'x86_64'): Buffer | undefined => {
  const found = readInitramfs(ramdisk).find(({ name }) => name === `muster-host/${architecture}.gz`);
  return found && gunzipSync(found.data);
};

describe('images with the executable', () => {
  it.each(['full', 'minimal'])('contain it in the ramdisk of the %s image', async (kind) => {
    const source = bufferByteSource(await download(`/byid/${INFRA_ENV_ID}/4.20/x86_64/${kind}.iso`));
    const image = await openIso(source);
    const ramdisk = await image.readFile(INITRD, 1_000_000);
    expect(executableIn(ramdisk)?.equals(PROGRAM)).toBe(true);
    const entries = readInitramfs(ramdisk);
    expect(entries[0]?.name).toBe('etc/coreos-live-initramfs');
    expect(Buffer.from(entries.find(({ name }) => name === UNIT)?.data ?? '').toString()).toContain(
      'mv /muster-host/x86_64.gz /run/muster-host/',
    );
    const wanted = entries.find(({ name }) => name.endsWith('initrd.target.wants/muster-host-from-ramdisk.service'));
    expect(Buffer.from(wanted?.data ?? '').toString()).toBe(`/${UNIT}`);
    // The other files were moved. Tools that read the image find them at their new places.
    expect(String(await image.readFile('/images/pxeboot/vmlinuz', 1_000))).toContain('kernel of x86_64');
    const layout = await readBootIsoLayout(source);
    expect(Buffer.from((await readIgnitionConfig(source, layout.ignition)) ?? '').toString()).toContain('"3.1.0"');
    if (!layout.kargs) throw new Error('the image has no area for kernel arguments');
    expect(await readKargs(source, layout.kargs)).toMatch(/ignition\.firstboot.* site=remote$/);
    expect((await image.find(NETWORK_AREA_PATH)) !== undefined).toBe(kind === 'minimal');
  });

  it('contain it in the ramdisk for network boot', async () => {
    expect(executableIn(await download(`/images/${INFRA_ENV_ID}/pxe-initrd?version=4.20`))?.equals(PROGRAM)).toBe(true);
  });

  it('do not contain it for an architecture without one', async () => {
    const ramdisk = await download(`/images/${INFRA_ENV_ID}/pxe-initrd?version=4.19&arch=ppc64le`);
    expect(readInitramfs(ramdisk).filter(({ name }) => name.startsWith('muster-host/'))).toEqual([]);
  });

  it('contain it for s390x only with network boot, because an ISO has another copy of the ramdisk in its boot program', async () => {
    const ramdisk = await download(`/images/${INFRA_ENV_ID}/pxe-initrd?version=4.20&arch=s390x`);
    expect(executableIn(ramdisk, 's390x')?.equals(PROGRAM)).toBe(true);
    const addressAndSize = await download(`/images/${INFRA_ENV_ID}/s390x-initrd-addrsize?version=4.20`);
    expect(addressAndSize.readBigUInt64BE(8)).toBe(BigInt(ramdisk.length));
    const infraEnvId = randomUUID();
    await stage.givenInfraEnv({}, infraEnvId);
    const full = await download(`/byid/${infraEnvId}/4.20/s390x/full.iso`);
    expect(full).toHaveLength(coreOsIso('s390x').length);
  });

  it('leave no file open when the service stops', async () => {
    const before = openFilesIn(binaries.path).length;
    const other = await openImages();
    const response = await fetch(`${other.url}/byid/${INFRA_ENV_ID}/4.20/x86_64/full.iso`);
    await response.arrayBuffer();
    expect(openFilesIn(binaries.path)).toHaveLength(before + 1);
    await other.close();
    expect(openFilesIn(binaries.path)).toHaveLength(before);
  });

  it('are not possible without executables', async () => {
    await expect(openImageStage(nats.url, { MUSTER_HOST_BINARY: 'in-image' })).rejects.toThrow(
      /MUSTER_HOST_BINARIES is missing.*MUSTER_HOST_BINARY=in-image needs it/,
    );
  });
});
