import { parseVipLeases, vipMacAddress } from './vip-leases';

const lease = `lease {
  interface "api";
  fixed-address 192.168.1.100;
  option subnet-mask 255.255.255.0;
  renew 2 2026/11/24 10:00:00;
  rebind 3 2026/11/25 10:00:00;
  expire 4 2026/11/26 10:00:00;
}`;
const LASTING = `lease {
  interface "api";
  fixed-address 192.168.1.100;
  option subnet-mask 255.255.255.0;
  renew never;
  rebind never;
  expire never;
}
`;
const output = (changes: object = {}): string =>
  JSON.stringify({
    api_vip_address: '192.168.1.100',
    ingress_vip_address: '192.168.1.101',
    api_vip_lease: lease,
    ingress_vip_lease: '',
    ...changes,
  });

describe('leases of VIPs', () => {
  it('never expire', () => {
    expect(parseVipLeases(output())).toEqual({
      kind: 'parsed',
      leases: { apiVip: '192.168.1.100', ingressVip: '192.168.1.101', apiVipLease: LASTING, ingressVipLease: '' },
    });
  });

  it.each([
    ['{', /not JSON/],
    ['null', undefined],
    [output({ api_vip_address: 1 }), /api_vip_address is not a text/],
    [output({ api_vip_lease: 'lease { a b; } lease { a b; }' }), /api_vip_lease is not one block/],
    [output({ api_vip_lease: 'lease { a b; }; reboot' }), /api_vip_lease is not one block/],
    [output({ ingress_vip_lease: 'interface "x";' }), /ingress_vip_lease is not one block/],
    [output({ ingress_vip_lease: `lease { a ${'b'.repeat(9_000)}; }` }), /ingress_vip_lease is not one block/],
  ])('are refused when they are %s', (text, reason) => {
    const parsed = parseVipLeases(text);
    if (reason) expect(parsed).toMatchObject({ kind: 'refused', refusal: { reason: expect.stringMatching(reason) } });
    else expect(parsed.kind).toBe('parsed');
  });

  it('are refused unread when they are too long', () => {
    const reason = expect.stringContaining('they have 65537 characters, and at most 65536 are allowed') as string;
    expect(parseVipLeases('['.repeat(65_537))).toMatchObject({ refusal: { reason } });
  });

  it('are requested with MAC addresses that depend on the cluster id', () => {
    const id = '5b1d7d24-1b63-4c6e-9d4b-2d2f8a7f0a11';
    expect(vipMacAddress(id, 'api')).toMatch(/^00:1a:4a(:[0-9a-f]{2}){3}$/);
    expect(vipMacAddress(id, 'api')).toBe(vipMacAddress(id, 'api'));
    expect(vipMacAddress(id, 'api')).not.toBe(vipMacAddress(id, 'ingress'));
    // Computed by hand: the permutation of RFC 3074 over the bytes of "-api", with the start values 45, 46 and 47.
    expect(vipMacAddress('', 'api')).toBe('00:1a:4a:b4:18:45');
  });
});
