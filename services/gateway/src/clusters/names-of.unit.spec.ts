import { namesOf } from './day2.controller';

describe('the name of an imported cluster', () => {
  it.each([
    ['api.two.example.com', { name: 'two', baseDnsDomain: 'example.com' }],
    ['192.0.2.1', { name: 'one' }],
    ['lb.example.com', { name: 'one' }],
    ['api.two', { name: 'one' }],
    ['.', { name: 'one' }],
    ['FD00::5', { name: 'one', apiVipDnsName: 'fd00::5' }],
    ['API.Two.Example.com.', { name: 'two', baseDnsDomain: 'example.com', apiVipDnsName: 'api.two.example.com' }],
  ])('is derived from %s', (api_vip_dnsname, names) =>
    expect(namesOf({ name: 'one', api_vip_dnsname })).toEqual({ apiVipDnsName: api_vip_dnsname, ...names }),
  );
});
