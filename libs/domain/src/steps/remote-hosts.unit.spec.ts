import { hostKeyOf } from '@muster/contracts';
import { hardware, nic, other, remoteHostsOf, stepContext } from './step-sample.fixture.spec';
import { hasTooManyPeers, planSteps } from './step-table';

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

  it('are complete when they have addresses of different lengths', () => {
    const addresses = { a: '192.0.2.1/24', b: '198.51.100.123/24', c: '10.0.0.7/8', d: '203.0.113.99/24' };
    const hosts = remoteHostsOf(Object.entries(addresses).map(([hostId, address]) => host(hostId, address)));
    for (const hostId of Object.keys(addresses)) {
      const others = Object.entries(addresses).filter(([other]) => other !== hostId);
      expect(JSON.parse(hosts.without(key(hostId)) ?? '')).toEqual(
        others.map(([host_id, address]) => ({
          host_id,
          nics: [expect.objectContaining({ ip_addresses: [address.split('/')[0]] })],
        })),
      );
    }
  });

  it('are those of the other one in a cluster of two', () => {
    const hosts = remoteHostsOf([host('a'), host('b')]);
    expect(hosts.without(key('a'))).toBe(remoteHostsOf([host('b')]).without(key('a')));
    const two = ['b', 'c'].map((hostId) => other({ hostId, hardware: undefined }));
    expect(remoteHostsOf([host('a'), ...two]).without(key('b'))).toBeUndefined();
  });

  it('are not known while another host has no NICs', () => {
    const hosts = remoteHostsOf([host('a'), other({ hostId: 'b', hardware: undefined })]);
    expect(hosts.without(key('a'))).toBeUndefined();
    expect(hosts.without(key('b'))).toBe(remoteHostsOf([host('a')]).without(key('b')));
  });

  it('do not wait for a host whose inventory was truncated completely, because it never reports NICs', () => {
    const truncated = other({
      hostId: 't',
      status: 'insufficient',
      hardware: hardware({ truncation: 'full', nics: [] }),
    });
    const hosts = remoteHostsOf([host('a'), host('b'), truncated]);
    expect(hosts.without(key('a'))).toBe(remoteHostsOf([host('a'), host('b')]).without(key('a')));
  });

  it.each(['discovering', 'disconnected', 'binding'])(
    'do not include or wait for a host in status %s, whose agent answers no check',
    (status) => {
      const absent = [other({ hostId: 'b', status, hardware: undefined }), { ...host('c'), status }];
      const hosts = remoteHostsOf([host('a'), host('d'), ...absent]);
      expect(hosts.equals(remoteHostsOf([host('a'), host('d')]))).toBe(true);
    },
  );

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

  it('are not known when they are too long for a message', () => {
    const nics = Array.from({ length: 16 }, (_, n) =>
      nic({
        name: `enp${n}s0f0np0`,
        ipv4Addresses: ['10.100.120.250/24'],
        ipv6Addresses: ['fd00:1234:5678:9abc:def0:1234:5678:9999/64', 'fe80::a236:9fff:fe12:3456/64'],
      }),
    );
    const hosts = (count: number) =>
      remoteHostsOf(Array.from({ length: count }, (_, n) => other({ hostId: `h${n}`, hardware: hardware({ nics }) })));
    const [fitting, tooLong] = [hosts(2_500), hosts(3_000)];
    expect(fitting.isTooLong).toBe(false);
    expect(fitting.jsonWithout(key('h0'))?.length).toBeLessThan(MESSAGE_BYTES_MAX * 0.9);
    expect(tooLong.isTooLong).toBe(true);
    expect(tooLong.without(key('h0'))).toBeUndefined();
    expect(tooLong.jsonWithout(key('h0'))).toBeUndefined();
    const context = { ...stepContext({ host: { status: 'known' } }), remoteHosts: () => tooLong };
    expect(hasTooManyPeers(context)).toBe(true);
    expect(planSteps(context, '').steps.map(({ type }) => type)).not.toContain('connectivity-check');
    expect(hasTooManyPeers({ ...context, host: { ...context.host, status: 'installing' } })).toBe(false);
  });
});

const MESSAGE_BYTES_MAX = 8 * 1_024 * 1_024;
