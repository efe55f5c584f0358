import { externalPlatformNameOf } from './cluster-settings.facts';

describe('the name of the external platform', () => {
  const platformDetails = { external: { platform_name: 'oci' } };

  it.each([
    ['external', 'oci'],
    ['baremetal', ''],
  ])('with details of an external platform and platform %s is "%s"', (platformType, name) => {
    expect(externalPlatformNameOf({ platformType, platformDetails })).toBe(name);
  });

  it('is empty without details', () => {
    expect(externalPlatformNameOf({ platformType: 'external' })).toBe('');
  });
});
