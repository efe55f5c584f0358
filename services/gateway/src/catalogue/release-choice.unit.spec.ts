import { VersionCatalogue } from '@muster/assisted-api';
import { type Environment, readReleaseToolchains, SettingsReader } from '@muster/nest-kit';
import { ADMIN, type Caller } from '../auth/caller';
import { ReleaseChoice } from './release-choice';

const OWN = 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64';
const releaseImages = [{ openshift_version: '4.18', version: '4.18.3', cpu_architecture: 'x86_64', url: OWN }];
const user: Caller = { kind: 'user', user: 'eve', org: '', role: 'user' };
const toolchainsOf = (environment: Environment) => readReleaseToolchains(new SettingsReader(environment));
const choose = (
  image: string | undefined,
  caller: Caller,
  allowedReleaseRegistries: readonly string[] = [],
  toolchains = toolchainsOf({}),
) =>
  new ReleaseChoice(new VersionCatalogue(releaseImages, []), {
    releaseImages,
    allowedReleaseRegistries,
    toolchains,
  }).ofCluster({ openshift_version: '4.18', ocp_release_image: image }, caller).ocpReleaseImage;

describe('the release image of a new cluster', () => {
  const foreign = 'registry.example.com/team/release:1';

  it('may be any image for an administrator', () => {
    expect(choose(foreign, ADMIN)).toBe(foreign);
  });

  it('must be an image of RELEASE_IMAGES for a user', () => {
    expect(choose(OWN, user)).toBe(OWN);
    expect(() => choose(foreign, user)).toThrow(/is not one of the releases of this service/);
    expect(() => choose(foreign, { ...user, role: 'read-only-admin' })).toThrow(/ALLOWED_RELEASE_REGISTRIES/);
  });

  it.each([
    ['registry.example.com', true],
    ['registry.example.com/team', true],
    ['registry.example.com/team/', true],
    ['registry.example.com/te', false],
    ['registry.example.co', false],
    ['', false],
  ])('may be an image of the allowed registry "%s": %s', (registry, isAllowed) => {
    const chosen = () => choose(foreign, user, [registry]);
    if (isAllowed) expect(chosen()).toBe(foreign);
    else expect(chosen).toThrow(/is not one of the releases/);
  });

  it('is a simulated one where INSTALL_TOOLCHAIN=builtin', () => {
    const marked = JSON.stringify([{ ...releaseImages[0], simulated: true }]);
    const toolchains = toolchainsOf({ INSTALL_TOOLCHAIN: 'builtin', RELEASE_IMAGES: marked });
    expect(choose(undefined, ADMIN, [], toolchains)).toBe(OWN);
    expect(() => choose(foreign, ADMIN, [], toolchains)).toThrow(
      /registry\.example\.com\/team\/release:1 is real, and INSTALL_TOOLCHAIN=builtin.*unset INSTALL_TOOLCHAIN/,
    );
  });

  it('is found for each name of its architecture', () => {
    const arm = [{ openshift_version: '4.18', version: '4.18.3', cpu_architecture: 'aarch64', url: OWN }];
    const choice = new ReleaseChoice(new VersionCatalogue(arm, arm), {
      releaseImages: arm,
      allowedReleaseRegistries: [],
      toolchains: toolchainsOf({}),
    });
    for (const cpu_architecture of ['arm64', 'aarch64'] as const) {
      expect(choice.ofCluster({ openshift_version: '4.18', cpu_architecture }, user).cpuArchitecture).toBe('arm64');
      expect(choice.ofInfraEnv('4.18', cpu_architecture, 'full-iso').cpuArchitecture).toBe('arm64');
    }
  });

  it('decides the version and the architecture when it is one of RELEASE_IMAGES', () => {
    const multi = OWN.replace('x86_64', 'multi');
    const listed = [
      ...releaseImages,
      { openshift_version: '4.18-multi', version: '4.18.3-multi', cpu_architecture: 'multi', url: multi },
    ];
    const choice = new ReleaseChoice(new VersionCatalogue(listed, []), {
      releaseImages: listed,
      allowedReleaseRegistries: [],
      toolchains: toolchainsOf({}),
    });
    const of = (ocp_release_image: string) => choice.ofCluster({ openshift_version: '4.12', ocp_release_image }, ADMIN);
    expect(of(multi)).toMatchObject({ openshiftVersion: '4.18.3-multi', cpuArchitecture: 'multi' });
    expect(of(OWN)).toMatchObject({ openshiftVersion: '4.18.3', cpuArchitecture: 'x86_64' });
    expect(of(foreign)).toMatchObject({ openshiftVersion: '4.12', cpuArchitecture: 'x86_64' });
  });

  describe('that is one of RELEASE_IMAGES', () => {
    const arm = OWN.replace('x86_64', 'aarch64');
    const multi = OWN.replace('x86_64', 'multi');
    const entry = { openshift_version: '4.18', version: '4.18.3' };
    const listed = [
      ...releaseImages,
      { ...entry, cpu_architecture: 'aarch64', url: arm },
      { ...entry, cpu_architecture: 'x86_64', url: 'both' },
      { ...entry, cpu_architecture: 'arm64', url: 'both' },
      { ...entry, cpu_architecture: 'multi', cpu_architectures: ['x86_64', 'aarch64'], url: multi },
    ];
    const choice = new ReleaseChoice(new VersionCatalogue(listed, []), {
      releaseImages: listed,
      allowedReleaseRegistries: [],
      toolchains: toolchainsOf({}),
    });
    type Architecture = 'x86_64' | 'arm64' | 'aarch64' | 's390x' | 'multi';
    const bodyOf = (ocp_release_image: string, cpu_architecture?: Architecture) => ({
      openshift_version: '4.18',
      ocp_release_image,
      cpu_architecture,
    });

    it.each<[string, Architecture | undefined, string, string]>([
      [OWN, undefined, 'x86_64', 'x86_64'],
      [arm, undefined, 'arm64', 'arm64'],
      [arm, 'aarch64', 'arm64', 'arm64'],
      ['both', undefined, 'x86_64', 'x86_64'],
      ['both', 'arm64', 'arm64', 'arm64'],
      [multi, undefined, 'multi', 'x86_64'],
      [multi, 'arm64', 'multi', 'arm64'],
      [multi, 'multi', 'multi', 'multi'],
    ])('%s with cpu_architecture %s has the architecture %s', (image, given, architecture, requested) => {
      const body = bodyOf(image, given);
      expect(choice.ofCluster(body, user).cpuArchitecture).toBe(architecture);
      expect(choice.architectureOf(body)).toBe(requested);
    });

    it.each<[string, Architecture, RegExp]>([
      [OWN, 'arm64', /is a release for x86_64, not for arm64/],
      [arm, 'x86_64', /is a release for arm64, not for x86_64/],
      [arm, 'multi', /is a release for arm64, not for multi/],
      [multi, 's390x', /is a release for x86_64 and arm64, not for s390x/],
    ])('%s is refused with cpu_architecture %s', (image, given, reason) => {
      expect(() => choice.ofCluster(bodyOf(image, given), user)).toThrow(reason);
    });
  });

  it('does not leave the allowed registry with dots', () => {
    expect(() => choose('registry.example.com/team/../x:1', user, ['registry.example.com/team'])).toThrow();
  });
});
