import { connectivityReader, isLatencyBound, reachFingerprint } from './connectivity.report';

const fingerprint = (latencyMs: number, packetLossPercent = 0): string =>
  reachFingerprint({ hostId: 'h', nearAddresses: ['a'], farAddresses: ['b'], latencyMs, packetLossPercent });

describe('a connection to another host', () => {
  it.each([
    [0, 10, true],
    [10, 10.1, false],
    [10.1, 20, true],
    [20, 20.1, false],
    [90, 90.1, false],
    [90.1, 100, true],
    [100, 100.1, false],
    [100.1, 200, true],
    [200, 200.1, false],
    [900.1, 1_000, true],
    [1_000, 1_000.1, false],
    [1_000.1, 60_000, true],
  ])('with latencies of %d ms and %d ms is the same: %s', (first, second, isSame) => {
    expect(fingerprint(first) === fingerprint(second)).toBe(isSame);
  });

  it.each([
    [0, 0.1, false],
    [0.1, 1, true],
    [1, 1.1, false],
    [9.1, 10, true],
    [10, 10.1, false],
  ])('with losses of %d %% and %d %% is the same: %s', (first, second, isSame) => {
    expect(fingerprint(5, first) === fingerprint(5, second)).toBe(isSame);
  });

  it('differs with another host or address', () => {
    const reach = { hostId: 'h', nearAddresses: ['a'], farAddresses: ['b'], latencyMs: 1, packetLossPercent: 0 };
    const others = [
      { ...reach, hostId: 'i' },
      { ...reach, nearAddresses: ['a', 'b'] },
      { ...reach, farAddresses: [] },
      { ...reach, nearAddresses: [], farAddresses: ['a', 'b'] },
    ];
    expect(new Set([reach, ...others].map(reachFingerprint)).size).toBe(5);
  });
});

describe('a limit for the latency', () => {
  it.each([
    [9, false],
    [10, true],
    [15, false],
    [90, true],
    [100, true],
    [110, false],
    [200, true],
    [1_000, true],
    [1_100, false],
  ])('of %d ms is evaluated exactly: %s', (limitMs, isExact) => {
    expect(isLatencyBound(limitMs)).toBe(isExact);
  });
});

function reportedBy(remoteHost: object) {
  const output = JSON.stringify({ remote_hosts: [{ host_id: 'h', ...remoteHost }] });
  const step = { hostKey: 'e.h', output, error: '', exitCode: 0, generation: 1 };
  const result = connectivityReader.read(step, () => 'sha256:0');
  if (result.kind !== 'read' || result.report.event.type !== 'ConnectivityReported') throw new Error('unreadable');
  return result.report.event.data;
}

describe('an address that answers', () => {
  const answer = (remote_mac: string, outgoing_nic = 'ens3', remote_ip_address = '10.0.0.2') => ({
    outgoing_nic,
    remote_ip_address,
    remote_mac,
    successful: true,
  });
  const collisionsOf = (...l2_connectivity: object[]) => reportedBy({ l2_connectivity }).collisions;

  it('from two machines on one interface collides', () => {
    expect(collisionsOf(answer('02:00:00:00:00:02'), answer('02:00:00:00:00:01'))).toEqual([
      { address: '10.0.0.2', macAddresses: ['02:00:00:00:00:01', '02:00:00:00:00:02'] },
    ]);
  });

  it.each([
    ['once', [answer('02:00:00:00:00:01')]],
    ['twice from one machine', [answer('02:00:00:00:00:0a'), answer('02:00:00:00:00:0A')]],
    ['on two interfaces', [answer('02:00:00:00:00:01'), answer('02:00:00:00:00:02', 'ens4')]],
    ['without a MAC address', [answer('02:00:00:00:00:01'), answer('')]],
    ['beside another address', [answer('02:00:00:00:00:01'), answer('02:00:00:00:00:02', 'ens3', '10.0.0.3')]],
  ])('%s does not collide', (_case, answers) => {
    expect(collisionsOf(...answers)).toEqual([]);
  });

  it('is listed once in the order of the texts, and not without an address', () => {
    const l2_connectivity = [
      answer('a', 'ens3', '10.0.0.9'),
      answer('a'),
      answer('a', 'ens4'),
      answer('a', 'ens3', ''),
    ];
    expect(reportedBy({ l2_connectivity }).peers[0]?.nearAddresses).toEqual(['10.0.0.2', '10.0.0.9']);
  });
});

describe('several paths to one address', () => {
  const path = (outgoing_nic: string, average_rtt_ms: number, packet_loss_percentage: number, successful = true) => ({
    outgoing_nic,
    remote_ip_address: '10.0.0.2',
    successful,
    average_rtt_ms,
    packet_loss_percentage,
  });
  const peerOf = (...l3_connectivity: object[]) => {
    const [peer] = reportedBy({ l3_connectivity }).peers;
    return [peer?.latencyMs, peer?.packetLossPercent];
  };

  it('count as the best one: a reached one, then the one that loses fewer packets, then the faster one', () => {
    expect(peerOf(path('a', 1, 50), path('b', 90, 0))).toEqual([90, 0]);
    expect(peerOf(path('a', 90, 0), path('b', 1, 50))).toEqual([90, 0]);
    expect(peerOf(path('a', 90, 0), path('b', 1, 0))).toEqual([1, 0]);
    expect(peerOf(path('a', 0, 0, false), path('b', 90, 10))).toEqual([90, 10]);
    expect(peerOf(path('a', 0, 0, false))).toEqual([0, 0]);
  });
});
