import { DOCUMENT_VALUES_MAX } from '../documents/values';
import { parseInstallConfigOverride } from './override-install-config';

describe('an override of the install-config', () => {
  const withPools = (count: number) =>
    parseInstallConfigOverride(JSON.stringify({ compute: Array.from({ length: count }, () => ({})) }));

  it('is refused when it has too many values', () => {
    expect(withPools(DOCUMENT_VALUES_MAX - 2).kind).toBe('parsed');
    for (const count of [DOCUMENT_VALUES_MAX - 1, 300_000])
      expect(withPools(count)).toMatchObject({
        reason: expect.stringContaining(`it has more than ${DOCUMENT_VALUES_MAX} values`) as string,
      });
  });

  it('may have long values', () => {
    expect(parseInstallConfigOverride(JSON.stringify({ sshKey: 'x'.repeat(1_000_000) })).kind).toBe('parsed');
  });
});
