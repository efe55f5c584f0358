import { existsSync, readFileSync } from 'node:fs';
import { DEFAULT_OS_IMAGES } from './default-os-images';
import { DEFAULT_RELEASE_IMAGES } from './default-release-images';
import { areOsImages, areReleaseImages, areReleaseSources, DEFAULT_RELEASE_SOURCES } from './release-sources';

const DATA = `${__dirname}/../../../../../shared/upstream/data`;
const hasData = existsSync(DATA);
const dataOf = (name: string): unknown => JSON.parse(readFileSync(`${DATA}/${name}.json`, 'utf8'));

const IMAGE = {
  openshift_version: '4.18',
  cpu_architecture: 'x86_64',
  url: 'registry.example.com/a',
  version: '4.18.1',
};
const SOURCE = { openshift_version: '4.18', multi_cpu_architectures: ['x86_64'], upgrade_channels: [] };

describe('catalogues', () => {
  it('of our own have the shape that is asked of others', () => {
    expect(areReleaseImages(DEFAULT_RELEASE_IMAGES)).toBe(true);
    expect(areOsImages(DEFAULT_OS_IMAGES)).toBe(true);
    expect(areReleaseSources(DEFAULT_RELEASE_SOURCES)).toBe(true);
  });

  it.each([
    {},
    null,
    'x',
    [null],
    [{ ...IMAGE, url: undefined }],
    [{ ...IMAGE, version: 4.18 }],
    [{ ...IMAGE, cpu_architectures: 'x86_64' }],
  ])('%j holds no release images', (value) => {
    expect(areReleaseImages(value)).toBe(false);
  });

  it.each([
    [[{ ...SOURCE, openshift_version: 4 }]],
    [[{ ...SOURCE, upgrade_channels: [{ cpu_architecture: 'x86_64' }] }]],
    [[{ ...SOURCE, multi_cpu_architectures: [1] }]],
  ])('%j holds no release sources', (value) => {
    expect(areReleaseSources(value)).toBe(false);
  });

  it(`of the field can be used as they are${hasData ? '' : ' (skipped: the data is not on this machine)'}`, () => {
    if (!hasData) return;
    expect(DEFAULT_RELEASE_SOURCES).toEqual(dataOf('default_release_sources'));
    for (const name of ['default_release_images', 'default_okd_release_images'])
      expect(areReleaseImages(dataOf(name))).toBe(true);
    for (const name of ['default_os_images', 'default_okd_os_images']) expect(areOsImages(dataOf(name))).toBe(true);
  });
});
