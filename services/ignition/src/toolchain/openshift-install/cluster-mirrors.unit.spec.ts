import { type MirrorRule, parseMirrorDocuments } from '@muster/adapter-oci-registry';
import { SettingsReader } from '@muster/nest-kit';
import { ImageRegistryError } from '@muster/ports';
import { readRegistries } from '../../service-registries';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import { InstallerBinaries, type OpenRegistries, readOpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const OCP = 'quay.io/openshift-release-dev/ocp-release';
const CATALOGUE = JSON.stringify([
  { openshift_version: '4.18', version: '4.18.3', cpu_architecture: 'x86_64', url: 'own.lan:5000/ocp/release:4.18.3' },
]);

/** Returns the mirrors with which the release is read, and the error, because no registry answers. */
async function read(mirrors: readonly string[], environment: Readonly<Record<string, string>>) {
  const settings = new SettingsReader({
    AUTH_TYPE: 'oidc',
    RELEASE_IMAGES: CATALOGUE,
    WORK_DIR: '/nowhere',
    ...environment,
  });
  let used: readonly MirrorRule[] | undefined;
  const open: OpenRegistries = (wanted) => {
    used = wanted.mirrors;
    return Promise.reject(new ImageRegistryError(OCP, 'quay.io', 'no answer', 'unreachable'));
  };
  const given = parseMirrorDocuments(
    JSON.stringify({
      kind: 'ImageDigestMirrorSet',
      spec: { imageDigestMirrors: [{ source: OCP, mirrors, mirrorSourcePolicy: 'NeverContactSource' }] },
    }),
  );
  const wanted = {
    releaseImage: `${OCP}:4.18.3`,
    pullSecret: '',
    openshiftVersion: '4.18.3',
    isFips: false,
    caPem: '',
  };
  const binaries = new InstallerBinaries(readOpenshiftInstallSettings(settings, readRegistries(settings)), open);
  const error = await binaries.of({ ...wanted, mirrors: given }).catch(String);
  return { given, used, error };
}

describe('mirrors in manifests of a cluster', () => {
  it.each([
    ['evil.example.com/x', ''],
    ['mirror.lan', 'mirror.lan/ocp'],
    ['mirror.lanes/ocp', 'mirror.lan'],
    ['mirror.lan@evil.example.com/x', 'mirror.lan'],
    ['mirror.lan/ocp/%2e%2e/x', 'mirror.lan/ocp'],
    ['mirror.lan/ocp/../x', 'mirror.lan/ocp'],
    ['own.lan:5000/other', ''],
  ])('such as %s supply no release where ALLOWED_RELEASE_REGISTRIES is "%s"', async (mirror, allowed) => {
    const { error, used } = await read([mirror], { ALLOWED_RELEASE_REGISTRIES: allowed });
    expect(used).toEqual([]);
    expect(error).toMatch(/Check that the service reaches quay\.io/);
    expect(error).toContain(
      `Mirrors of the cluster that ALLOWED_RELEASE_REGISTRIES does not permit were not used: "${mirror}".`,
    );
  });

  it.each([
    ['mirror.lan/ocp', { ALLOWED_RELEASE_REGISTRIES: 'mirror.lan' }],
    ['mirror.lan/ocp/release', { ALLOWED_RELEASE_REGISTRIES: 'mirror.lan/ocp' }],
    ['own.lan:5000/ocp/release', {}],
    ['evil.example.com/x', { AUTH_TYPE: 'none' }],
    ['evil.example.com/x', { AUTH_TYPE: 'local' }],
  ])('such as %s supply a release with %j', async (mirror, environment) => {
    const { error, given, used } = await read([mirror], environment);
    expect(used).toEqual(given);
    expect(error).not.toContain('ALLOWED_RELEASE_REGISTRIES');
  });

  it('are used without those that are not permitted', async () => {
    const { error, given, used } = await read(['evil.example.com/x', 'mirror.lan/ocp'], {
      ALLOWED_RELEASE_REGISTRIES: 'mirror.lan',
    });
    expect(used).toEqual([{ ...given[0], mirrors: ['mirror.lan/ocp'] }]);
    expect(error).toContain('were not used: "evil.example.com/x".');
  });
});

describe('mirrors in the install-config of a cluster', () => {
  const source = 'quay.io/openshift-release-dev/ocp-release';
  const ofService = { source, mirrors: ['service.lan/ocp'] };

  /** Returns the mirrors and the access with which the toolchain reads the release. */
  async function readWith(overrides: object) {
    const settings = readOpenshiftInstallSettings(new SettingsReader({ WORK_DIR: '/nowhere' }), {
      settings: undefined,
      mirrors: [ofService],
      permittedMirrors: 'any',
    });
    let used: Parameters<OpenRegistries>[0] | undefined;
    const binaries = new InstallerBinaries(settings, (wanted) => {
      used = wanted;
      return Promise.reject(new ImageRegistryError(source, 'quay.io', 'no answer', 'unreachable'));
    });
    const order = sampleInstallRequest({ installConfigOverrides: JSON.stringify(overrides), mirrors: [ofService] });
    const made = openshiftInstallToolchain(settings, binaries).make(order, keptInMemory(), IGNORED_REPORT);
    await expect(made).rejects.toThrow('cannot be read');
    return used;
  }

  it.each(['imageDigestSources', 'imageContentSources'])('are those of %s in the overrides', async (list) => {
    const given = { source, mirrors: ['mirror.lan/ocp'] };
    const { mirrors } = (await readWith({ [list]: [given] })) ?? {};
    expect(mirrors).toEqual([{ ...given, neverContactSource: false }]);
  });

  it('have the policy of the overrides', async () => {
    const given = { source, mirrors: ['mirror.lan/ocp'] };
    const imageDigestSources = [{ ...given, sourcePolicy: 'NeverContactSource' }];
    expect(await readWith({ imageDigestSources })).toMatchObject({ mirrors: [{ ...given, neverContactSource: true }] });
  });

  it('are not repeated when they are those of the service', async () => {
    expect(await readWith({ fips: false })).toMatchObject({ mirrors: [] });
  });

  it('are read with the certificate authorities and the pull secret of the overrides', async () => {
    const authority = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const pullSecret = '{"auths":{"mirror.lan":{"auth":"b3duOnNlY3JldA=="}}}';
    const used = await readWith({ additionalTrustBundle: authority, pullSecret });
    expect(used).toMatchObject({ caPem: authority, pullSecret });
  });
});
