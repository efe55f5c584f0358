import fc from 'fast-check';
import {
  cidrsOverlap,
  containsIp,
  findOverlap,
  formatNetwork,
  isBroadcast,
  isCanonical,
  isSameNetwork,
  parseAddressRanges,
  parseCidr,
  parseCidrs,
  toRanges,
  verifyByFreeAddresses,
} from './cidr';
import { parseIp } from './ip-address';

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(`not a CIDR: ${text}`);
  return parsed;
};
const ip = (text: string) => {
  const parsed = parseIp(text);
  if (!parsed) throw new Error(`not an address: ${text}`);
  return parsed;
};

describe('CIDRs', () => {
  it.each([
    ['192.168.1.77/24', '192.168.1.0/24'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['172.16.200.9/12', '172.16.0.0/12'],
    ['fd00:1:2:3:4::7/64', 'fd00:1:2:3::/64'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::1/128', '::1/128'],
  ])('parseCidr(%s) has the network address %s', (text, network) => {
    expect(formatNetwork(cidr(text))).toBe(network);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '/24',
    '10.0.0.0/8x',
    '10.0.0.0/0024',
  ])('returns undefined for %s', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it('parseCidrs omits texts that are not CIDRs and keeps the order of the others', () => {
    const cidrs = parseCidrs(['fd00::/64', '10.0.0.0', '192.168.1.7/24', '']);
    expect(cidrs.map(formatNetwork)).toEqual(['fd00::/64', '192.168.1.0/24']);
  });

  it.each([
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['10.0.1.0/24', '10.0.0.255', false],
    ['10.0.1.0/24', '10.0.1.0', true],
    ['200.0.0.0/8', '200.1.2.3', true],
    ['fd00::/64', 'fd00::ffff:ffff:ffff:ffff', true],
    ['fd00::/64', 'fd00:0:0:1::', false],
    ['0.0.0.0/0', 'fd00::1', false],
  ])('containsIp: %s contains %s: %s', (network, address, contains) => {
    expect(containsIp(cidr(network), ip(address))).toBe(contains);
  });

  it.each([
    ['10.0.0.0/24', '10.0.0.0/24', true],
    ['10.0.0.0/24', '10.0.0.0/32', true],
    ['10.0.0.0/24', '10.0.0.255/32', true],
    ['10.0.0.0/24', '10.0.1.0/32', false],
    ['10.0.1.0/24', '10.0.0.0/24', false],
    ['0.0.0.0/0', '::/0', false],
    ['fd00::/64', 'fd00::ffff:ffff:ffff:ffff/128', true],
    ['fd00::/64', 'fd00:0:0:1::/64', false],
  ])('cidrsOverlap: %s and %s overlap: %s', (first, second, overlap) => {
    expect(cidrsOverlap(cidr(first), cidr(second))).toBe(overlap);
    expect(cidrsOverlap(cidr(second), cidr(first))).toBe(overlap);
  });

  it.each([
    ['192.168.1.7/24', '192.168.1.0/24', true],
    ['192.168.1.0/24', '192.168.1.0/25', false],
    ['192.168.1.0/24', '192.168.2.0/24', false],
    ['0.0.0.0/0', '::/0', false],
  ])('isSameNetwork: %s and %s are the same network: %s', (first, second, isSame) => {
    expect(isSameNetwork(cidr(first), cidr(second))).toBe(isSame);
  });

  it('isBroadcast is true for the last address of IPv4 networks with a prefix of at most 30 bits', () => {
    expect(isBroadcast(cidr('10.0.0.0/24'), ip('10.0.0.255'))).toBe(true);
    expect(isBroadcast(cidr('10.0.0.0/31'), ip('10.0.0.1'))).toBe(false);
    expect(isBroadcast(cidr('fd00::/64'), ip('fd00::ffff:ffff:ffff:ffff'))).toBe(false);
  });

  it('isCanonical is true only without host bits', () => {
    expect(isCanonical(cidr('10.0.0.0/8'))).toBe(true);
    expect(isCanonical(cidr('10.0.0.1/8'))).toBe(false);
  });

  const anyCidr = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, prefix]) => `${address}/${prefix}`),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([address, prefix]) => `${address}/${prefix}`),
  );

  it('findOverlap returns a pair exactly when two of the networks overlap', () => {
    fc.assert(
      fc.property(fc.array(anyCidr, { maxLength: 8 }), (texts) => {
        const cidrs = parseCidrs(texts);
        const anyPair = cidrs.some((first, at) => cidrs.slice(at + 1).some((second) => cidrsOverlap(first, second)));
        expect(findOverlap(cidrs) !== undefined).toBe(anyPair);
      }),
    );
  });

  it('a network contains its own address, and its text parses to the same network', () => {
    fc.assert(
      fc.property(anyCidr, (text) => {
        const parsed = cidr(text);
        expect(containsIp(parsed, parsed.address)).toBe(true);
        expect(formatNetwork(cidr(formatNetwork(parsed)))).toBe(formatNetwork(parsed));
      }),
    );
  });
});

describe('lists of free addresses', () => {
  const toAddress = (number: number): string => `10.0.${number >> 8}.${number & 0xff}`;
  const rangesOf = (numbers: readonly number[]) => parseAddressRanges(toRanges(numbers.map(toAddress)));

  /** Compares each address of the network with each list. */
  function expected(lists: readonly (readonly number[])[], vip: number): string {
    const common = lists[0]?.filter((number) => lists.every((list) => list.includes(number))) ?? [];
    if (common.length === 0) return 'unverified';
    return common.includes(vip) ? 'succeeded' : 'failed';
  }

  const aNumber = fc.integer({ min: 250, max: 265 });
  const sparse = fc.uniqueArray(aNumber, { maxLength: 10 });
  const dense = sparse.map((missing) =>
    Array.from({ length: 16 }, (_, at) => 250 + at).filter((one) => !missing.includes(one)),
  );

  it('have the same result as a comparison of all addresses', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(sparse, dense), { maxLength: 5 }), aNumber, (lists, vip) => {
        expect(verifyByFreeAddresses(lists.map(rangesOf), toAddress(vip))).toBe(expected(lists, vip));
      }),
    );
  });

  it('are not read completely', () => {
    const [listCount, rangeCount, readsMax] = [20, 511, 50];
    let reads = 0;
    const lists = Array.from({ length: listCount }, (_, missing) =>
      rangesOf(Array.from({ length: rangeCount }, (__, at) => at * 2).filter((one) => one !== 4 + missing * 2)).map(
        ({ first, last }) => ({
          first,
          get last() {
            reads += 1;
            return last;
          },
        }),
      ),
    );
    for (const [vip, result] of [
      ['10.0.0.2', 'succeeded'],
      ['10.0.0.5', 'failed'],
      ['10.0.0.8', 'failed'],
    ]) {
      reads = 0;
      expect(verifyByFreeAddresses(lists, vip ?? '')).toBe(result);
      expect(reads).toBeLessThan(listCount * readsMax);
    }
  });

  it('are read in steps per range, not per address and list, when each address is missing in one of them', () => {
    const [listCount, addressCount, readsPerRangeMax] = [50, 1_000, 40];
    let [reads, ranges] = [0, 0];
    const lists = Array.from({ length: listCount }, (_, at) =>
      rangesOf(
        Array.from({ length: addressCount }, (__, one) => one).filter((one) => (one + at + 1) % listCount !== 0),
      ).map(({ first, last }) => {
        ranges += 1;
        return {
          first,
          get last() {
            reads += 1;
            return last;
          },
        };
      }),
    );
    expect(verifyByFreeAddresses(lists, '10.0.0.5')).toBe('unverified');
    expect(reads).toBeLessThan(ranges * readsPerRangeMax);
  });

  it('do not confirm a text that is not an address', () => {
    expect(verifyByFreeAddresses([rangesOf([1])], '10.0.0')).toBe('unverified');
  });
});
