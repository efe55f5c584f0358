import { readGatewayConfig, weakSettings } from './config';

describe('readGatewayConfig', () => {
  it('has the defaults of assisted-service v2', () => {
    expect(readGatewayConfig({})).toMatchObject({
      host: '0.0.0.0',
      port: 8090,
      authType: 'none',
      imageServiceBaseUrl: undefined,
      imageServicePort: 8888,
      inactiveDeletionHours: 480,
    });
  });

  it('lets REST_PORT win over PORT, and takes catalogues as JSON', () => {
    const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'http://a', version: '1' };
    const config = readGatewayConfig({ PORT: '1', REST_PORT: '2', OS_IMAGES: JSON.stringify([image]) });
    expect(config.port).toBe(2);
    expect(config.osImages).toEqual([image]);
    const older = { RHCOS_VERSIONS: JSON.stringify([{ ...image, version: '0' }]) };
    expect(readGatewayConfig(older).osImages).toEqual([{ ...image, version: '0' }]);
    expect(readGatewayConfig({ ...older, OS_IMAGES: JSON.stringify([image]) }).osImages).toEqual([image]);
    expect(readGatewayConfig({ PORT: '1' }).port).toBe(1);
  });

  it.each([
    { REST_PORT: '70000' },
    { AUTH_TYPE: 'maybe' },
    { OS_IMAGES: '[' },
    { OS_IMAGES: '{}' },
    { RELEASE_IMAGES: '[{}]' },
    { RELEASE_SOURCES: '[4]' },
    { RHCOS_VERSIONS: '[4]' },
  ])('refuses %j by name', (environment) => {
    expect(() => readGatewayConfig(environment)).toThrow(Object.keys(environment)[0]);
  });
});

describe('TLS of the REST API', () => {
  it('needs a key and a certificate that can be read', () => {
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
  ])('of %j are named', (environment, weak) => {
    expect(weakIn(environment as Record<string, string>)).toEqual(weak);
  });
});
