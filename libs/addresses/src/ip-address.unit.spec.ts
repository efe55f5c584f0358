import fc from 'fast-check';
import { compareIps, formatIp, isLinkLocal, isUnspecified, parseIp } from './ip-address';

const canonical = (text: string): string | undefined => {
  const address = parseIp(text);
  return address && formatIp(address);
};

describe('IP addresses', () => {
  it.each([
    ['192.168.0.1', '192.168.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:2:3:4:5:6:0:8', '1:2:3:4:5:6:0:8'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['::10.0.0.1', '::a00:1'],
    ['::2:10.0.0.1', '::2:a00:1'],
    ['fe80::', 'fe80::'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('parseIp and formatIp convert %s to %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '01.2.3.4',
    '1.2.3.4/24',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    'fe80::1%eth0',
    '12345::',
    '10.0.0.1::',
    '9'.repeat(10_000),
  ])('parseIp returns undefined for %s', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it('parseIp reads every address that formatIp writes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const written = canonical(text);
        expect(written).toBeDefined();
        expect(canonical(written ?? '')).toBe(written);
      }),
    );
  });

  it('parseIp never throws', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60, unit: 'binary' }), (text) => void parseIp(text)));
  });

  it('compareIps orders IPv4 addresses before IPv6 addresses', () => {
    const [low, high, v6] = ['10.0.0.9', '200.0.0.1', '::1'].map((text) => parseIp(text));
    if (!low || !high || !v6) throw new Error('The sample addresses must be valid.');
    expect(compareIps(low, high)).toBeLessThan(0);
    expect(compareIps(v6, high)).toBeGreaterThan(0);
    expect(compareIps(v6, v6)).toBe(0);
  });

  it('recognises link-local and unspecified addresses', () => {
    const is = (text: string, test: typeof isLinkLocal): boolean => {
      const address = parseIp(text);
      return address !== undefined && test(address);
    };
    expect([is('fe80::1', isLinkLocal), is('febf::1', isLinkLocal), is('fec0::1', isLinkLocal)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([is('::', isUnspecified), is('0.0.0.0', isUnspecified), is('::1', isUnspecified)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
