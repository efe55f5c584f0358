import { VersionCatalogue } from '@muster/assisted-api';
import { ADMIN, type Caller } from '../auth/caller';
import { ReleaseChoice } from './release-choice';

const OWN = 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64';
const releaseImages = [{ openshift_version: '4.18', version: '4.18.3', cpu_architecture: 'x86_64', url: OWN }];
const user: Caller = { kind: 'user', user: 'eve', org: '', role: 'user' };
const choose = (image: string, caller: Caller, allowedReleaseRegistries: readonly string[] = []) =>
  new ReleaseChoice(new VersionCatalogue(releaseImages, []), { releaseImages, allowedReleaseRegistries }).ofCluster(
    { openshift_version: '4.18', ocp_release_image: image },
    caller,
  ).ocpReleaseImage;

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

  it('is refused when dots in its path leave the allowed registry', () => {
    expect(() => choose('registry.example.com/team/../x:1', user, ['registry.example.com/team'])).toThrow();
  });
});
