import { readReleaseToolchains } from './release-toolchains';
import { SettingsReader } from './settings/settings-reader';

const release = (version: string, simulated?: boolean) => ({
  openshift_version: '4.18',
  cpu_architecture: 'x86_64',
  version,
  url: `quay.io/${version}`,
  simulated,
});
const CATALOGUE = JSON.stringify([release('4.18.3'), release('4.18.1', true), release('4.19.0', false)]);
const read = (environment: Record<string, string>) => {
  const settings = new SettingsReader({ RELEASE_IMAGES: CATALOGUE, ...environment });
  return { toolchains: readReleaseToolchains(settings), problems: settings.problems };
};

describe('The toolchain of a release', () => {
  it.each([
    [{}, 'quay.io/4.18.3', 'openshift-install'],
    [{}, 'quay.io/4.18.1', 'builtin'],
    [{}, 'quay.io/elsewhere', 'openshift-install'],
    [{ RELEASE_IMAGES: '' }, 'quay.io/4.18.1', 'openshift-install'],
    [{ INSTALL_TOOLCHAIN: 'openshift-install' }, 'quay.io/4.18.1', 'openshift-install'],
    [{ INSTALL_TOOLCHAIN: 'builtin' }, 'quay.io/4.18.1', 'builtin'],
  ])('with %j of %s is %s', (environment, image, toolchain) => {
    expect(read(environment as Record<string, string>).toolchains.of(image)).toEqual({ kind: 'chosen', toolchain });
  });

  it('refuses a real release when only the builtin toolchain is allowed', () => {
    const { problems, toolchains } = read({ INSTALL_TOOLCHAIN: 'builtin' });
    expect(toolchains.of('quay.io/4.18.3')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('4.18.3'),
    });
    expect(problems).toEqual([
      expect.stringMatching(/INSTALL_TOOLCHAIN="builtin".*these releases are real: 4\.18\.3, 4\.19\.0\.$/),
    ]);
    expect(read({ INSTALL_TOOLCHAIN: 'builtin', RELEASE_IMAGES: '' }).problems).toEqual([
      expect.stringContaining('all of the default catalogue'),
    ]);
  });

  it('accepts builtin at start when every release is simulated', () => {
    const RELEASE_IMAGES = JSON.stringify([release('4.18.1', true)]);
    expect(read({ INSTALL_TOOLCHAIN: 'builtin', RELEASE_IMAGES }).problems).toEqual([]);
  });
});
