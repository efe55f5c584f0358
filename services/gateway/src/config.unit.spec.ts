import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DEFAULT_RELEASE_IMAGES, DEFAULT_RELEASE_SOURCES } from '@muster/assisted-api';
import { readGatewayConfig, weakSettings } from './config';

const DATA = `${__dirname}/../../../../shared/upstream/data`;
const hasData = existsSync(DATA);
const withData = hasData ? it : it.skip;

describe('readGatewayConfig', () => {
  it('has the defaults of assisted-service v2', () => {
    expect(readGatewayConfig({})).toMatchObject({
      host: '0.0.0.0',
      port: 8090,
      authType: 'none',
      imageServiceBaseUrl: undefined,
      imageEndpoint: { scheme: 'http', port: 8888 },
      inactiveDeletionHours: 480,
    });
  });

  it.each([
    ['36h', 36],
    ['90m', 1],
    ['59m', 0],
  ])('reads %s as whole hours, which clients expect', (duration, hours) => {
    expect(readGatewayConfig({ DELETED_INACTIVE_AFTER: duration }).inactiveDeletionHours).toBe(hours);
  });

  it('prefers REST_PORT to PORT, and reads the catalogues as JSON', () => {
    const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'http://a', version: '1' };
    const config = readGatewayConfig({ PORT: '1', REST_PORT: '2', OS_IMAGES: JSON.stringify([image]) });
    expect(config.port).toBe(2);
    expect(config.osImages).toEqual([image]);
    const older = { RHCOS_VERSIONS: JSON.stringify([{ ...image, version: '0' }]) };
    expect(readGatewayConfig(older).osImages).toEqual([{ ...image, version: '0' }]);
    expect(readGatewayConfig({ ...older, OS_IMAGES: JSON.stringify([image]) }).osImages).toEqual([image]);
    expect(readGatewayConfig({ PORT: '1' }).port).toBe(1);
  });

  const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'http://a', version: '4.18.3' };
  const source = { openshift_version: '4.18', multi_cpu_architectures: ['x86_64'], upgrade_channels: [] };
  it.each([
    ['RELEASE_IMAGES', [{ ...image, url: undefined }], 'value[0].url is required'],
    [
      'RELEASE_IMAGES',
      [image, { ...image, version: 4.18 }],
      'value[1].version must be a version of OpenShift such as 4.18.3, not',
    ],
    ['RELEASE_IMAGES', [{ ...image, cpu_architectures: 'x86_64' }], 'value[0].cpu_architectures must be'],
    [
      'RELEASE_IMAGES',
      [
        { ...image, version: '4.18.3' },
        { ...image, version: '9.6.20260112-0' },
      ],
      'value[1].version must be a version of OpenShift such as 4.18.3, not the build of an operating system image, not "9.6.20260112-0"',
    ],
    ['OS_IMAGES', [{ ...image, sha256: 'x' }], 'value[0].sha256 must be 64 hexadecimal digits, not "x"'],
    ['RELEASE_SOURCES', [{ ...source, multi_cpu_architectures: [1] }], 'multi_cpu_architectures[0] must be a string'],
    ['RELEASE_SOURCES', [{ ...source, upgrade_channels: [{ cpu_architecture: 'a' }] }], 'channels is required'],
    ['JWKS_CERT', { keys: [{}] }, 'value.keys[0].kty is required'],
  ])('reports what is wrong with %s', (name, value, fault) => {
    expect(() => readGatewayConfig({ [name]: JSON.stringify(value) })).toThrow(fault);
  });

  withData(
    `reads the catalogues of assisted-service v2${hasData ? '' : ' (skipped: the data is not on this machine)'}`,
    () => {
      const textOf = (name: string): string => readFileSync(`${DATA}/${name}.json`, 'utf8');
      expect(DEFAULT_RELEASE_SOURCES).toEqual(JSON.parse(textOf('default_release_sources')));
      for (const kind of ['default', 'default_okd']) {
        const environment = {
          RELEASE_IMAGES: textOf(`${kind}_release_images`),
          OS_IMAGES: textOf(`${kind}_os_images`),
          RELEASE_SOURCES: JSON.stringify(DEFAULT_RELEASE_SOURCES),
        };
        expect(readGatewayConfig(environment).releaseImages.length).toBeGreaterThan(0);
      }
      expect(readGatewayConfig({}).releaseImages).toBe(DEFAULT_RELEASE_IMAGES);
    },
  );

  it.each([
    { REST_PORT: '70000' },
    { AUTH_TYPE: 'maybe' },
    { OS_IMAGES: '[' },
    { OS_IMAGES: '{}' },
    { RELEASE_IMAGES: '[{}]' },
    { RELEASE_SOURCES: '[4]' },
    { RHCOS_VERSIONS: '[4]' },
    { NTP_DEFAULT_SERVER: 'ntp.example.com 192.0.2.1' },
    { NTP_DEFAULT_SERVER: 'ntp://192.0.2.1' },
  ])('refuses %j with the name of the setting', (environment) => {
    expect(() => readGatewayConfig(environment)).toThrow(Object.keys(environment)[0]);
  });
});

describe('The keys of tokens', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const EC_PUBLIC_KEY_PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const EC_PRIVATE_KEY_PEM = privateKey.export({ type: 'sec1', format: 'pem' }).toString();

  it.each([
    [{ AUTH_TYPE: 'local', EC_PUBLIC_KEY_PEM, EC_PRIVATE_KEY_PEM }, publicKey, privateKey],
    [{ AUTH_TYPE: 'agent-installer-local', EC_PUBLIC_KEY_PEM }, publicKey, undefined],
    [
      { AUTH_TYPE: 'agent-installer-local', EC_PUBLIC_KEY_PEM: Buffer.from(EC_PUBLIC_KEY_PEM).toString('base64') },
      publicKey,
      undefined,
    ],
    [{}, undefined, undefined],
  ])('are read as PEM or in base64: case %#', (environment: Record<string, string>, checking, signing) => {
    const read = readGatewayConfig(environment);
    expect(read.publicKey?.export({ format: 'jwk' })).toEqual(checking?.export({ format: 'jwk' }));
    expect(read.privateKey?.export({ format: 'jwk' })).toEqual(signing?.export({ format: 'jwk' }));
  });

  it.each([
    [{ AUTH_TYPE: 'local' }, /EC_PUBLIC_KEY_PEM is missing.*AUTH_TYPE=local needs[^]*EC_PRIVATE_KEY_PEM is missing/],
    [{ AUTH_TYPE: 'agent-installer-local' }, /EC_PUBLIC_KEY_PEM is missing.*AUTH_TYPE=agent-installer-local needs/],
    [{ AUTH_TYPE: 'agent-installer-local', EC_PUBLIC_KEY_PEM: 'y' }, /EC_PUBLIC_KEY_PEM="\(not shown\)" is not valid/],
    [
      { EC_PUBLIC_KEY_PEM: other.publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      /Expected: the PEM text of a P-256 public key\.$/,
    ],
  ])('are refused before the start: case %#', (environment: Record<string, string>, problem) => {
    expect(() => readGatewayConfig(environment)).toThrow(problem);
  });

  it('are refused when they are not a pair, because every signed token would be refused later', () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const foreign = stranger.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const keys = { EC_PRIVATE_KEY_PEM, EC_PUBLIC_KEY_PEM: foreign };
    expect(() => readGatewayConfig({ AUTH_TYPE: 'local', ...keys })).toThrow(
      'Setting EC_PUBLIC_KEY_PEM="(not shown)" is not valid. Expected: the public key of EC_PRIVATE_KEY_PEM.',
    );
    // No other type signs tokens.
    expect(readGatewayConfig({ AUTH_TYPE: 'agent-installer-local', ...keys }).authType).toBe('agent-installer-local');
  });
});

describe('The issuer of tokens', () => {
  it.each([
    [
      { JWKS_URL: 'keys.example.com:8443' },
      /JWKS_URL="keys.example.com:8443" is not valid\. Expected: an http or https/,
    ],
    [
      { OIDC_ISSUER_URL: 'localhost:8080' },
      /OIDC_ISSUER_URL="localhost:8080" is not valid\. Expected: an http or https/,
    ],
    [{ JWKS_CERT: '{"keys":[]}' }, /JWKS_CERT=.* is not valid\. Expected: a JSON Web Key Set/],
  ])('is refused when its keys can never be read: %j', (environment, problem) => {
    expect(() => readGatewayConfig({ AUTH_TYPE: 'oidc', ...environment })).toThrow(problem);
  });

  it('is any URI when other settings name its keys', () => {
    const environment = { AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: 'urn:issuer', JWKS_URL: 'HTTPS://keys.example.com' };
    expect(readGatewayConfig(environment).oidc.issuer).toBe('urn:issuer');
  });
});

describe('TLS of the REST API', () => {
  it('requires a key and a certificate that can be read', () => {
    expect(readGatewayConfig({}).tls).toBeUndefined();
    expect(() => readGatewayConfig({ SERVE_HTTPS: 'true' })).toThrow(/HTTPS_KEY_FILE is missing/);
    expect(() => readGatewayConfig({ SERVE_HTTPS: 'true', HTTPS_KEY_FILE: '/nowhere' })).toThrow(/HTTPS_KEY_FILE/);
  });
});

describe('Weak settings', () => {
  const weakIn = (environment: Record<string, string>) =>
    weakSettings(readGatewayConfig({ AUTH_TYPE: 'oidc', ...environment })).map((text) => text.split(' ', 1)[0]);

  it.each([
    [{ JWKS_URL: 'http://keys.example.com', OIDC_AUDIENCE: 'a' }, ['JWKS_URL']],
    [{ OIDC_ISSUER_URL: 'http://issuer.example.com' }, ['OIDC_ISSUER_URL', 'OIDC_AUDIENCE']],
    [{ JWKS_URL: 'https://keys.example.com', OIDC_AUDIENCE: 'a' }, []],
    [{ AUTH_TYPE: 'none' }, []],
  ])('of %j are reported by name', (environment, weak) => {
    expect(weakIn(environment as Record<string, string>)).toEqual(weak);
  });
});
