import { namesOf } from './day2.controller';

describe('the name of an imported cluster', () => {
  it.each([
    ['api.two.example.com', { name: 'two', baseDnsDomain: 'example.com' }],
    ['192.0.2.1', { name: 'one' }],
    ['lb.example.com', { name: 'one' }],
    ['api.two', { name: 'one' }],
  ])('is derived from %s', (api_vip_dnsname, names) =>
    expect(namesOf({ name: 'one', api_vip_dnsname })).toEqual(names),
  );
});
