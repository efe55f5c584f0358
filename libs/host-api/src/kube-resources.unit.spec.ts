import { hasFetchedIgnition, ignitionClients } from './kube-resources';
import type { ServiceHost } from './service-api';

const AGENT = 'User-Agent:"Ignition/2.20.0" Accept-Header: "*/*"';
const LOG = [
  `api.go:65] Pool master requested by address:"192.0.2.12:40000" ${AGENT}`,
  `api.go:65] Pool master requested by address:"192.0.2.1:443" User-Agent:"kube-probe/1.30"`,
  `api.go:65] Pool worker requested by address:"[2001:DB8::A%eno1.5]:40000" ${AGENT}`,
  `api.go:65] Pool worker requested by address:"2001:db8::b:40000" ${AGENT}`,
  `from 198.51.100.7:1 ${AGENT}`,
].join('\n');

const hostWith = (...addresses: readonly string[]): ServiceHost => ({
  id: 'h',
  status: 'installing-in-progress',
  inventory: JSON.stringify({ interfaces: [{ ipv4_addresses: addresses.map((address) => `${address}/64`) }] }),
});

describe('the log of the machine-config server', () => {
  const clients = ignitionClients(LOG);

  it('is read once for all hosts, because it has thousands of lines in a large cluster', () => {
    expect([...clients]).toEqual(['192.0.2.12', '2001:db8::a', '2001:db8::b', '198.51.100.7']);
    expect(ignitionClients('').size).toBe(0);
  });

  it.each([
    ['192.0.2.12', true],
    ['2001:db8::a', true],
    ['2001:db8::b', true],
    ['198.51.100.7', true],
    ['192.0.2.1', false],
    ['2.0.2.12', false],
    ['92.0.2.12', false],
    ['db8::a', false],
    ['2001:db8::', false],
  ])('contains the request of the host with the address %s: %s', (address, isThere) => {
    expect(hasFetchedIgnition(hostWith('203.0.113.1', address), clients)).toBe(isThere);
  });

  it('contains no request of a host without addresses', () => {
    expect(hasFetchedIgnition(hostWith(), clients)).toBe(false);
  });
});
