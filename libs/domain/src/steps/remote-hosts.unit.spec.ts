import { hostKeyOf } from '@muster/contracts';
import { hardware, nic, other, remoteHostsOf } from './step-sample.fixture.spec';

const host = (hostId: string, address = '192.0.2.1/24') =>
  other({ hostId, hardware: hardware({ nics: [nic({ ipv4Addresses: [address] })] }) });
const key = (hostId: string) => hostKeyOf('i1', hostId);

describe('remote hosts', () => {
  it.each([
    ['a host that is not listed', ['a', 'b', 'c']],
    ['a', ['b', 'c']],
    ['b', ['a', 'c']],
    ['c', ['a', 'b']],
  ])('are all hosts except %s', (hostId, expected) => {
    const hosts = remoteHostsOf([host('a'), host('b'), host('c')]);
    const listed = JSON.parse(hosts.without(key(hostId)) ?? '') as { host_id: string }[];
    expect(listed.map(({ host_id }) => host_id)).toEqual(expected);
  });

  it('are also the JSON of their text, for every host', () => {
    const named = other({ hostId: 'd', hardware: hardware({ nics: [nic({ name: 'en "é\\\n' })] }) });
    const hosts = remoteHostsOf([host('a'), named, host('c')]);
    for (const hostId of ['a', 'd', 'c', 'x'])
      expect(hosts.jsonWithout(key(hostId))).toBe(JSON.stringify(hosts.without(key(hostId))));
    expect(remoteHostsOf([host('a')]).jsonWithout(key('a'))).toBeUndefined();
  });

  it('are not known while another host has no NICs', () => {
    const hosts = remoteHostsOf([host('a'), other({ hostId: 'b', hardware: undefined })]);
    expect(hosts.without(key('a'))).toBeUndefined();
    expect(hosts.without(key('b'))).toBe(remoteHostsOf([host('a')]).without(key('b')));
  });

  it('are not known for a host that is alone', () => {
    expect(remoteHostsOf([host('a')]).without(key('a'))).toBeUndefined();
  });

  it('are equal while every host receives the same text', () => {
    const [a, b] = [host('a'), host('b')];
    const before = remoteHostsOf([a, b], 1);
    expect(before.equals(remoteHostsOf([{ ...a, role: 'worker' }, b], 2))).toBe(true);
    for (const changed of [
      [a],
      [a, b, host('c')],
      [a, host('b', '192.0.2.9/24')],
      [a, { ...b, status: 'disconnected' }],
      [a, b, other({ hostId: 'c', hardware: undefined })],
    ])
      expect(before.equals(remoteHostsOf(changed, 2))).toBe(false);
  });
});
