import { parseInstallConfigOverride } from './override-install-config';

describe('an override of the install-config', () => {
  it('is refused with the name of the field also when it has a list of 500,000 entries', () => {
    const text = `{"fip":[${'0,'.repeat(499_999)}0]}`;
    expect(parseInstallConfigOverride(text)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('fip is not a known field') as string,
    });
  });
});
