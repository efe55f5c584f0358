import { DEFAULT_OS_IMAGES } from './default-os-images';
import { DEFAULT_RELEASE_IMAGES } from './default-release-images';
import { VersionCatalogue } from './version-catalogue';
import { compareVersions, majorMinor } from '@muster/feature-support';

const catalogue = new VersionCatalogue(DEFAULT_RELEASE_IMAGES, DEFAULT_OS_IMAGES);

describe('VersionCatalogue', () => {
  it.each([
    ['4.18', 'x86_64', '4.18.52'],
    ['4.18.52', 'arm64', '4.18.52'],
    ['4.18-multi', 'x86_64', '4.18.52-multi'],
    ['4.18', 's390x', '4.18.52-multi'],
    ['4.18', 'multi', '4.18.52-multi'],
    ['4.18.1', 'x86_64', undefined],
    ['', 'x86_64', undefined],
  ])('findRelease for version %j on %s returns %s', (version, architecture, found) => {
    expect(catalogue.findRelease(version, architecture)?.version).toBe(found);
  });

  it.each([
    ['4.18', 'x86_64', '4.18'],
    ['4.18.52-multi', 's390x', '4.18'],
    ['', 'arm64', '4.22'],
    ['4.99', 'x86_64', undefined],
    ['4.10', 's390x', undefined],
  ])('findOsImage for version %j on %s returns the live image of %s', (version, architecture, found) => {
    expect(catalogue.findOsImage(version, architecture, 'full-iso')?.openshift_version).toBe(found);
  });

  it.each([
    [['4.18.5', '4.18.20', '4.18.0-ec.4'], '4.18.52', '4.18.20'],
    [['4.18.5', '4.18.20'], '4.18', '4.18.20'],
    [['4.18.0-ec.4', '4.18', '4.18.20'], '4.18.52', '4.18'],
    [['4.18.5', '4.18.20'], '4.18.5', '4.18.5'],
    [['4.18.5', '4.18.20'], '', '4.18.20'],
  ])('findOsImage prefers in %j for version %j the live image of %s', (listed, version, found) => {
    const images = listed.map((openshift_version) => ({
      openshift_version,
      cpu_architecture: 'x86_64',
      url: `https://images.example.com/${openshift_version}`,
      version: `build of ${openshift_version}`,
    }));
    const several = new VersionCatalogue([], images);
    expect(several.findOsImage(version, 'x86_64', 'full-iso')?.openshift_version).toBe(found);
  });

  it.each([
    ['4.18', 'full-iso', 'full 4.18'],
    ['4.18', 'minimal-iso', 'full 4.18'],
    ['4.18', 'disconnected-iso', 'disconnected 4.18'],
    ['4.20', 'full-iso', undefined],
    ['4.20', 'disconnected-iso', 'disconnected 4.20'],
    ['', 'full-iso', 'full 4.18'],
    ['', 'disconnected-iso', 'disconnected 4.20'],
    // The catalogue may have no disconnected image of a version when the infra-env is registered.
    ['4.17', 'disconnected-iso', 'full 4.17'],
  ])('findOsImage for version %j and an image of type %s returns %s', (version, imageType, found) => {
    const images = ['disconnected 4.18', 'full 4.17', 'full 4.18', 'disconnected 4.20'].map((build) => {
      const [type = '', openshift_version = ''] = build.split(' ');
      const url = `https://images.example.com/${type}`;
      return { type: `${type}-iso`, openshift_version, cpu_architecture: 'x86_64', url, version: build };
    });
    const both = new VersionCatalogue([], images);
    expect(both.findOsImage(version, 'x86_64', imageType)?.version).toBe(found);
  });

  it.each([
    ['4.18', 'x86_64', '4.18.20'],
    ['4.18.5', 'x86_64', '4.18.5'],
    ['4.18', 's390x', '4.18.20-multi'],
  ])('findRelease for version %j on %s returns the newest of several: %s', (version, architecture, found) => {
    const release = (cpu_architecture: string, full: string, more: object = {}) => ({
      openshift_version: '4.18',
      cpu_architecture,
      url: `https://releases.example.com/${full}`,
      version: full,
      ...more,
    });
    const multi = { openshift_version: '4.18-multi', cpu_architectures: ['x86_64', 's390x'] };
    const listed = ['4.18.5', '4.18.20', '4.18.9'];
    const several = new VersionCatalogue(
      listed.flatMap((full) => [release('x86_64', full), release('multi', `${full}-multi`, multi)]),
      [],
    );
    expect(several.findRelease(version, architecture)?.version).toBe(found);
  });

  it('names the architectures of its lists as the v2 API does', () => {
    const image = (cpu_architecture: string) => ({
      openshift_version: '4.18',
      cpu_architecture,
      url: `https://images.example.com/${cpu_architecture}`,
      version: '4.18.3',
    });
    const named = new VersionCatalogue(
      [image('aarch64'), { ...image('multi'), cpu_architectures: ['amd64', 'aarch64'], version: '4.18.3-multi' }],
      [image('amd64'), image('aarch64')],
    );
    expect(named.findRelease('4.18', 'arm64')?.url).toBe('https://images.example.com/aarch64');
    expect(named.findRelease('4.18', 'x86_64')?.url).toBe('https://images.example.com/multi');
    expect(named.findOsImage('4.18', 'arm64', 'full-iso')?.url).toBe('https://images.example.com/aarch64');
    expect(named.findOsImage('4.18', 'x86_64', 'full-iso')?.url).toBe('https://images.example.com/amd64');
    expect(named.toV2()).toMatchObject({
      '4.18.3': { cpu_architectures: ['arm64'] },
      '4.18.3-multi': { cpu_architectures: ['x86_64', 'arm64'] },
    });
  });

  it('toV2 returns versions newest first with all architectures, and one default', () => {
    const shown = catalogue.toV2();
    expect(Object.keys(shown).slice(0, 2)).toEqual(['5.0.0-ec.5', '5.0.0-ec.5-multi']);
    expect(shown['4.18.52']).toEqual({
      display_name: '4.18.52',
      support_level: 'production',
      cpu_architectures: ['x86_64', 'arm64'],
    });
    expect(
      Object.entries(shown)
        .filter(([, { default: isDefault }]) => isDefault)
        .map(([version]) => version),
    ).toEqual(['4.22.9']);
  });

  it('toV2 filters versions by any part of their name', () => {
    const names = (version: string): string[] => Object.keys(catalogue.toV2({ version }));
    expect(names('18.52')).toEqual(['4.18.52', '4.18.52-multi']);
    expect(names('ec.5-multi')).toEqual(['5.0.0-ec.5-multi']);
    expect(names('4.99')).toEqual([]);
  });

  it('toV2 returns the support level of a release, or beta for a pre-release', () => {
    const release = { openshift_version: '5.1', cpu_architecture: 'x86_64', url: 'registry.example.com/a' };
    const levels = (version: string, support_level?: string): string[] =>
      Object.values(new VersionCatalogue([{ ...release, version, support_level }], []).toV2()).map(
        (shown) => shown.support_level,
      );
    expect(levels('5.1.0-rc.2')).toEqual(['beta']);
    expect(levels('5.1.0-rc.2-multi', '')).toEqual(['beta']);
    expect(levels('5.1.0-0.nightly-2026-01-01')).toEqual(['beta']);
    expect(levels('5.1.0-multi')).toEqual(['production']);
    expect(levels('5.1.0-okd-scos.1')).toEqual(['production']);
    expect(levels('5.1.0', 'end-of-life')).toEqual(['end-of-life']);
  });

  it('toV2 returns only the newest release of each minor version when requested', () => {
    const older = {
      openshift_version: '4.18',
      cpu_architecture: 'x86_64',
      url: 'registry.example.com/a',
      version: '4.18.9',
    };
    const lines = new VersionCatalogue([older, ...DEFAULT_RELEASE_IMAGES], []).toV2({
      onlyLatest: true,
      version: '4.18',
    });
    expect(Object.keys(lines)).toEqual(['4.18.52', '4.18.52-multi']);
  });
});

describe('versions', () => {
  it('are compared by number, a pre-release before its release', () => {
    const sorted = ['4.9.59', '4.10.67', '5.0.0-ec.5', '5.0.0-ec.10', '5.0.0'];
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
    expect(compareVersions('4.18.1-multi', '4.18.1')).toBe(0);
  });

  it('have a minor version', () => {
    expect(['4.18.52-multi', '4.18', 'new'].map(majorMinor)).toEqual(['4.18', '4.18', 'new']);
  });
});
