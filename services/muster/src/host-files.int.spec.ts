import { DEFAULT_OS_IMAGES, type OsImage } from '@muster/assisted-api';
import { SettingsReader } from '@muster/nest-kit';
import { temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { prepareBaseImages } from './host-files';

describe('images to boot when OS_IMAGES names none', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const prepare = (environment: { readonly [name: string]: string }, told: string[] = []) =>
    prepareBaseImages(new SettingsReader(environment), directory.path, (text) => told.push(text));
  const release = ({ openshift_version, cpu_architecture }: OsImage): string =>
    `${openshift_version}/${cpu_architecture}`;

  it('are those of the usual catalogue, one of them made here, and that is said', async () => {
    const told: string[] = [];
    const images = JSON.parse((await prepare({}, told)).OS_IMAGES ?? '[]') as OsImage[];
    expect(images.map(release).sort()).toEqual(DEFAULT_OS_IMAGES.map(release).sort());
    expect(images.filter(({ url }) => url.startsWith('file://')).map(release)).toEqual(['4.18/x86_64']);
    expect(told).toEqual([expect.stringContaining('simulated machines only')]);
  });

  it('are the usual catalogue and nothing else where no simulated image is wanted', async () => {
    expect(await prepare({ MUSTER_SIMULATED_IMAGE: 'false' })).toEqual({});
  });

  it('are what the operator names, under either name of the setting', async () => {
    expect(await prepare({ OS_IMAGES: '[]' })).toEqual({});
    expect(await prepare({ RHCOS_VERSIONS: '[]' })).toEqual({});
  });
});
