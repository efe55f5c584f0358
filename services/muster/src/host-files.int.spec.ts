import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DEFAULT_OS_IMAGES,
  DEFAULT_RELEASE_IMAGES,
  type OsImage,
  type ReleaseImage,
  VersionCatalogue,
} from '@muster/assisted-api';
import { SettingsReader } from '@muster/nest-kit';
import { temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { lockImageDirectory, prepareBaseImages } from './host-files';
import { describeFailure, StartError } from './start-error';

describe('images without OS_IMAGES', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const prepare = (
    environment: { readonly [name: string]: string },
    told: string[] = [],
    dataDirectory = directory.path,
  ) => prepareBaseImages(new SettingsReader(environment), dataDirectory, (text) => told.push(text));
  const release = ({ openshift_version, cpu_architecture }: OsImage): string =>
    `${openshift_version}/${cpu_architecture}`;

  it('are those of the default catalogue, except one simulated image, which is logged', async () => {
    const told: string[] = [];
    const images = JSON.parse((await prepare({}, told)).OS_IMAGES ?? '[]') as OsImage[];
    expect(images.map(release).sort()).toEqual(DEFAULT_OS_IMAGES.map(release).sort());
    expect(images.filter(({ url }) => url.startsWith('file://')).map(release)).toEqual(['4.18/x86_64']);
    const { RELEASE_IMAGES = '[]' } = await prepare({});
    const releases = JSON.parse(RELEASE_IMAGES) as (OsImage & { readonly simulated?: boolean })[];
    expect(releases).toHaveLength(DEFAULT_RELEASE_IMAGES.length);
    expect(releases.filter(({ simulated }) => simulated).map(release)).toEqual(['4.18/x86_64']);
    expect(told).toEqual([expect.stringMatching(/^The 4\.18 x86_64 image boots simulated hosts only\. /)]);
  });

  it('contain a whole simulated image after a power failure that left its name without its bytes', async () => {
    await prepare({});
    const path = join(directory.path, 'images', 'muster-demo-x86_64.iso');
    const image = readFileSync(path);
    writeFileSync(path, '');
    await prepare({});
    expect(readFileSync(path).equals(image)).toBe(true);
  });

  it.each([
    [
      'is not installed',
      undefined,
      'dependency',
      /: xorriso .*\. MUSTER_SIMULATED_IMAGE=false starts without this image\.$/,
    ],
    [
      'finds the disk full',
      'xorriso : FAILURE : Image size 1322s exceeds free space on media 442s',
      'dataDirectory',
      /: xorriso : FAILURE : .* media 442s\. Free disk space, or set MUSTER_SIMULATED_IMAGE=false\.$/,
    ],
  ])('cannot be prepared when xorriso %s', async (_, output, reason, message) => {
    const path = process.env.PATH;
    const programs = temporaryDirectory();
    if (output !== undefined)
      writeFileSync(join(programs.path, 'xorriso'), `#!/bin/sh\necho "NOTE"; echo "${output}" >&2\nexit 32\n`, {
        mode: 0o700,
      });
    process.env.PATH = programs.path;
    const failure: unknown = await prepare({}).catch((error: unknown) => error);
    process.env.PATH = path;
    programs.remove();
    expect(describeFailure(failure, new SettingsReader({}))).toEqual({
      reason,
      lines: [expect.stringMatching(message)],
    });
    expect(await prepare({ MUSTER_SIMULATED_IMAGE: 'false' })).toEqual({});
  });

  it('have a URL of the simulated image for every data directory', async () => {
    const dataDirectory = join(directory.path, 'lab #1 50%');
    const images = JSON.parse((await prepare({}, [], dataDirectory)).OS_IMAGES ?? '[]') as OsImage[];
    const { url } = images.find((image) => image.url.startsWith('file:')) ?? { url: 'file:///missing' };
    expect(fileURLToPath(url)).toBe(join(dataDirectory, 'images', 'muster-demo-x86_64.iso'));
  });

  it('make the release of the simulated image the only default version', async () => {
    const prepared = await prepare({});
    const catalogue = new VersionCatalogue(
      JSON.parse(prepared.RELEASE_IMAGES ?? '[]') as ReleaseImage[],
      JSON.parse(prepared.OS_IMAGES ?? '[]') as OsImage[],
    );
    const defaults = Object.entries(catalogue.toV2()).filter(([, version]) => version.default);
    const [name = ''] = defaults.map(([version]) => version);
    expect(defaults).toHaveLength(1);
    expect(catalogue.findRelease(name, 'x86_64')).toMatchObject({ simulated: true });
    for (const version of ['', name])
      expect(catalogue.findOsImage(version, 'x86_64', 'full-iso')?.url).toMatch(/^file:/);
  });

  it('are those of the default catalogue when the simulated image is disabled', async () => {
    expect(await prepare({ MUSTER_SIMULATED_IMAGE: 'false' })).toEqual({});
  });

  it('are replaced by those of the setting, under either name', async () => {
    expect(await prepare({ OS_IMAGES: '[]' })).toEqual({});
    expect(await prepare({ RHCOS_VERSIONS: '[]' })).toEqual({});
  });
});

describe('the directory of downloaded images', () => {
  it.each([[__filename], ['/proc/muster']])('has to be writable, not below %s', (place) => {
    const lock = (): unknown => lockImageDirectory(new SettingsReader({ DATA_DIR: join(place, 'images') }), '');
    expect(lock).toThrow(StartError);
    expect(lock).toThrow(/is not writable: .*DATA_DIR/);
  });
});
