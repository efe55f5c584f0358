import { readGatewayConfig } from './config';

describe('readGatewayConfig', () => {
  it("has the field's defaults", () => {
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
