import { ADDRESS_PATTERN, CIDR_PATTERN, KERNEL_ARGUMENT_PATTERN, MAC_PATTERN } from './wire-values';

describe('patterns of the v2 API', () => {
  it.each([
    [
      CIDR_PATTERN,
      ['10.0.0.0/14', '0.0.0.0/0', 'fd01::/48', '::/0', '2001:db8:0:0:0:0:0:1/128'],
      ['10.0.0.0', '10.0.0.0/33', 'fd01::/129', 'fd01/48', '10.0.0.0/8 '],
    ],
    [ADDRESS_PATTERN, ['', '192.0.2.1', '::1', 'fd00::1:2'], ['192.0.2', 'one', 'a:b', '192.0.2.1\n']],
    [MAC_PATTERN, ['02:00:00:00:00:aF'], ['02-00-00-00-00-01', '02:00:00:00:00']],
    [KERNEL_ARGUMENT_PATTERN, ['quiet', 'isolcpus=1,2,10-20,100-2000:2/25', 'a="b c"'], ['', 'a b', '"open']],
  ])('%s accepts exactly the valid texts', (pattern, good, bad) => {
    for (const text of good) expect([text, pattern.test(text)]).toEqual([text, true]);
    for (const text of bad) expect([text, pattern.test(text)]).toEqual([text, false]);
  });

  it('refuse hostile input without exponential matching time', () => {
    // With backtracking, each of these inputs would exceed the timeout of the test.
    for (const pattern of [CIDR_PATTERN, ADDRESS_PATTERN, KERNEL_ARGUMENT_PATTERN]) {
      expect(pattern.test(`${'a:'.repeat(20_000)}"`)).toBe(false);
    }
  });
});
