import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, SettingsReader } from '@muster/nest-kit';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { readRegistries } from './service-registries';

describe('the registry mirrors of the service', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());
  const write = (name: string, text: string): string => {
    writeFileSync(join(directory.path, name), text);
    return join(directory.path, name);
  };
  const read = (environment: Readonly<Record<string, string>>) => readRegistries(new SettingsReader(environment));
  const start = (environment: Readonly<Record<string, string>>) => readSettings(environment, readRegistries);

  it('are undefined without settings', () => {
    expect(read({})).toEqual({ settings: undefined, mirrors: [], permittedMirrors: 'any' });
  });

  it('are read from the file in the format of containers-registries.conf', () => {
    const text = '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.lan"\n';
    const registries = read({
      MIRROR_REGISTRIES_CONF_PATH: write('registries.conf', text),
      MIRROR_REGISTRIES_CA_PATH: write('ca.pem', 'PEM'),
      FORCE_INSECURE_POLICY_JSON: 'true',
    });
    expect(registries).toEqual({
      settings: { registriesConf: text, caPem: 'PEM', takesUnsigned: true },
      mirrors: [{ source: 'quay.io', mirrors: ['mirror.lan'] }],
      permittedMirrors: 'any',
    });
  });

  it('may also be mirrors of clusters where users are not administrators', () => {
    const text = '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.lan"\n';
    const image = { openshift_version: '4.18', version: '4.18.3', cpu_architecture: 'x86_64' };
    const urls = ['a.lan:5000/release:4.18.3', 'b.lan:5000/release', `c.lan/release@sha256:${'a'.repeat(64)}`];
    const registries = read({
      AUTH_TYPE: 'rhsso',
      ALLOWED_RELEASE_REGISTRIES: 'team.lan/releases',
      RELEASE_IMAGES: JSON.stringify(urls.map((url) => ({ ...image, url }))),
      MIRROR_REGISTRIES_CONF_PATH: write('registries.conf', text),
    });
    expect(registries.permittedMirrors).toEqual([
      'team.lan/releases',
      'a.lan:5000/release',
      'b.lan:5000/release',
      'c.lan/release',
      'mirror.lan',
    ]);
    expect(read({ AUTH_TYPE: 'oidc' }).permittedMirrors).toContain('quay.io/openshift-release-dev/ocp-release');
  });

  it('are required when their certificate authorities are set', () => {
    expect(() => start({ MIRROR_REGISTRIES_CA_PATH: write('ca.pem', 'PEM') })).toThrow(
      /MIRROR_REGISTRIES_CONF_PATH is missing.*MIRROR_REGISTRIES_CA_PATH needs.*additional_trust_bundle/,
    );
  });

  it('stop the start with the setting and the reason when a file cannot be read', () => {
    const broken = write('registries.conf', 'x = 1');
    expect(() => start({ MIRROR_REGISTRIES_CONF_PATH: broken })).toThrow('The document has no [[registry]]');
    expect(() => start({ MIRROR_REGISTRIES_CONF_PATH: join(directory.path, 'none') })).toThrow(
      'MIRROR_REGISTRIES_CONF_PATH',
    );
  });
});
