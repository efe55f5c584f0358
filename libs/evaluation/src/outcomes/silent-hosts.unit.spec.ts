import type { HostKey } from '@muster/contracts';
import {
  clusterRegistered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import { Arrival } from './arrival.fixture.spec';

const NETWORK = '192.168.128.0/24';
const ROUTED = { platformType: 'none', userManagedNetworking: true, machineNetworks: { items: [] } };
const NUMBERS = [1, 2, 3, 4, 5, 6];
const address = (number: number): string => `192.168.128.1${number}`;

const without = (number: number, numbers = NUMBERS): readonly number[] => numbers.filter((other) => other !== number);

/** A report about `others`, of which the host does not reach `unreached`. */
const connectivity = (number: number, others: readonly number[], unreached: readonly number[] = []): SampleEvent =>
  reportEvent(hostKey(number), 'ConnectivityReported', {
    peers: others.map((other) => {
      const addresses = unreached.includes(other) ? [] : [address(other)];
      return { hostId: hostKey(other).slice(37), nearAddresses: addresses, farAddresses: addresses, latencyMs: 1 };
    }),
    vanishedPeers: NUMBERS.filter((other) => other !== number && !others.includes(other)).map((other) =>
      hostKey(other).slice(37),
    ),
    mtuMeasured: true,
  });
const silent = (number: number): SampleEvent => hostEvent(hostKey(number), 'HostFellSilent', { lastSeenAt: '' });
const registered = (number: number): readonly SampleEvent[] => [
  hostRegistered(hostKey(number)),
  inventoryReported(hostKey(number), { nics: [{ name: 'ens3', ipv4Addresses: [`${address(number)}/24`] }] }),
];

function clusterOf(count: number, settings: object): readonly SampleEvent[] {
  const all = NUMBERS.slice(0, count);
  return [
    infraEnvRegistered(),
    clusterRegistered(settings),
    ...all.flatMap(registered),
    ...all.map((number) => connectivity(number, without(number, all))),
  ];
}

/** Returns the status of the rule for the hosts 1 to 3. */
const statusesAfter = (...events: readonly SampleEvent[]) => statusesOf([1, 2, 3], events);

/** Returns the status of the rule for hosts. It must not depend on the subjects that were evaluated before. */
function statusesOf(numbers: readonly number[], events: readonly SampleEvent[]): readonly (string | undefined)[] {
  const outcomes = Arrival.stepByStep(events).outcomes();
  expect(outcomes).toEqual(Arrival.atOnce(events).outcomes());
  return numbers.map((number) => statusOf(outcomes, hostKey(number)));
}

function statusOf(outcomes: object, key: HostKey, rule = 'belongs-to-majority-group'): string | undefined {
  const subject = (outcomes as Record<string, { readonly outcomes: readonly (readonly string[])[] }>)[`host:${key}`];
  return subject?.outcomes.find(([id]) => id === rule)?.[1];
}

const lostMedia = (number: number): SampleEvent => hostEvent(hostKey(number), 'HostMediaDisconnected', {});

describe.each([
  ['is silent', 'with routers', silent, ROUTED],
  ['is silent', 'in one network', silent, { machineNetworks: { items: [NETWORK] } }],
  ['has lost its media', 'with routers', lostMedia, ROUTED],
  ['has lost its media', 'in one network', lostMedia, { machineNetworks: { items: [NETWORK] } }],
])('a cluster with a host that %s, %s', (_state, _network, absent, settings) => {
  // The other hosts receive a list of hosts without it.
  const others = [connectivity(1, [2, 3, 5]), connectivity(2, [1, 3, 5]), connectivity(5, [1, 2, 3])];
  const cutOff = [
    connectivity(1, [2, 3, 5], [3]),
    connectivity(2, [1, 3, 5], [3]),
    connectivity(5, [1, 2, 3], [3]),
    connectivity(3, [1, 2, 5]),
  ];

  it('shows that another host is not reached', () => {
    const events = [...clusterOf(5, settings), absent(4)];
    expect(statusesAfter(...events)).toEqual(['success', 'success', 'success']);
    expect(statusesAfter(...events, ...others, connectivity(3, [1, 2, 5]))).toEqual(['success', 'success', 'success']);
    expect(statusesAfter(...events, ...cutOff)).toEqual(['success', 'success', 'failure']);
  });

  it('shows it also when that host has never reported its connectivity', () => {
    const events = [...clusterOf(3, settings), ...registered(4), absent(4), ...registered(5)];
    expect(statusesAfter(...events, ...cutOff)).toEqual([expect.anything(), expect.anything(), 'failure']);
  });

  it('waits for the reports of the other hosts about a new one', () => {
    const events = [...clusterOf(2, settings), ...registered(4), absent(4), ...registered(5), ...registered(3)];
    const known = [connectivity(1, [2, 5]), connectivity(2, [1, 5]), connectivity(5, [1, 2, 3])];
    expect(statusesAfter(...events, ...known, connectivity(3, [1, 2, 5])).at(2)).toBe('pending');
  });
});

describe.each([
  ['with routers', ROUTED],
  ['in one network', { machineNetworks: { items: [NETWORK] } }],
])('a cluster with a host that cannot check its connectivity, %s', (_, settings) => {
  const failed = (number: number): SampleEvent =>
    reportEvent(hostKey(number), 'StepFailed', { stepType: 'connectivity-check', reason: 'The program is missing.' });
  const events = [
    infraEnvRegistered(),
    clusterRegistered(settings),
    ...[1, 2, 3, 4, 5].flatMap(registered),
    connectivity(1, [2, 3, 4, 5], [3]),
    connectivity(2, [1, 3, 4, 5], [3]),
    connectivity(3, [1, 2, 4, 5]),
    connectivity(5, [1, 2, 3, 4], [3]),
    failed(4),
  ];
  const statusOf4 = (...more: readonly SampleEvent[]) =>
    statusOf(Arrival.stepByStep([...events, ...more]).outcomes(), hostKey(4));

  it('shows that this host fails, and decides the others without it', () => {
    expect(statusesAfter(...events)).toEqual(['success', 'success', 'failure']);
    expect(statusOf4()).toBe('failure');
  });

  it('compares it with the others after its first report', () => {
    const report = connectivity(4, [1, 2, 3, 5]);
    expect(statusesAfter(...events, report)).toEqual(['success', 'success', 'failure']);
    expect(statusOf4(report)).toBe('success');
    const unreaching = connectivity(4, [1, 2, 3, 5], [1, 2, 3, 5]);
    expect(statusOf4(unreaching)).toBe(settings === ROUTED ? 'success' : 'failure');
  });

  it('keeps what it reported before', () => {
    const report = connectivity(4, [1, 2, 3, 5]);
    expect(statusesAfter(...events, report, failed(4))).toEqual(['success', 'success', 'failure']);
    expect(statusOf4(report, failed(4))).toBe('success');
  });

  it('decides a new host without one that can no longer report on it', () => {
    const known = [...clusterOf(4, settings), failed(4)];
    expect(statusesOf([1, 2, 3, 4], known)).toEqual(['success', 'success', 'success', 'success']);
    const all = [1, 2, 3, 4, 5];
    const reports = [1, 2, 3, 5].map((number) => connectivity(number, without(number, all)));
    const arrived = [...known, ...registered(5), ...reports];
    expect(statusesOf(all, arrived)).toEqual(['success', 'success', 'success', 'failure', 'success']);
    const renewed = [...arrived, connectivity(4, without(4, all))];
    expect(statusesOf(all, renewed)).toEqual(all.map(() => 'success'));
    const departed = [...arrived, hostEvent(hostKey(5), 'HostDeregistered', {})];
    expect(statusesOf([1, 2, 3, 4], departed)).toEqual(['success', 'success', 'success', 'success']);
  });

  it('waits for more hosts when too few are left', () => {
    const few = [...clusterOf(2, settings), ...registered(3), connectivity(1, [2, 3]), connectivity(2, [1, 3])];
    expect(statusesAfter(...few, failed(3))).toEqual(
      settings === ROUTED ? ['success', 'success', 'failure'] : ['pending', 'pending', 'failure'],
    );
  });
});

describe('a routed cluster of which a host fell silent', () => {
  const all = [1, 2, 3, 4, 5];
  const unreaching = connectivity(4, [1, 2, 3, 5], [1, 2, 3, 5]);

  it('does not count what that host did not reach', () => {
    const events = [...clusterOf(all.length, ROUTED), unreaching];
    expect(statusesAfter(...events)).toEqual(['failure', 'failure', 'failure']);
    expect(statusesAfter(...events, silent(4))).toEqual(['pending', 'pending', 'pending']);
    const returned = hostEvent(hostKey(4), 'HostReturned', {});
    expect(statusesAfter(...events, silent(4), returned)).toEqual(['failure', 'failure', 'failure']);
  });
});

describe('three hosts in one network of which one fell silent', () => {
  it('are too few to be compared', () => {
    const events = [...clusterOf(3, { machineNetworks: { items: [NETWORK] } }), silent(3)];
    const renewed = [connectivity(1, [2]), connectivity(2, [1])];
    expect(statusesAfter(...events, ...renewed)).toEqual(['pending', 'pending', 'pending']);
  });
});

describe('a network in which as many hosts are silent as connected', () => {
  const events = [
    ...clusterOf(NUMBERS.length, { machineNetworks: { items: [NETWORK] } }),
    ...[1, 2, 3].map(silent),
    connectivity(4, [5, 6]),
    connectivity(5, [4, 6]),
    connectivity(6, [4, 5]),
  ];

  it('has the group of the connected hosts', () => {
    expect(statusesOf(NUMBERS, events)).toEqual(['failure', 'failure', 'failure', 'success', 'success', 'success']);
  });

  it('has the group of all hosts after the silent ones have returned', () => {
    const returned = [1, 2, 3].map((number) => hostEvent(hostKey(number), 'HostReturned', {}));
    const renewed = [4, 5, 6].map((number) => connectivity(number, without(number)));
    expect(statusesOf(NUMBERS, [...events, ...returned, ...renewed])).toEqual(NUMBERS.map(() => 'success'));
  });
});

describe('an address with two machines', () => {
  const reported = reportEvent(hostKey(2), 'ConnectivityReported', {
    peers: [],
    collisions: [{ address: address(1), macAddresses: ['a', 'b'] }],
  });
  const statusAfter = (...events: readonly SampleEvent[]) => {
    const all = [...clusterOf(3, {}), ...events];
    const outcomes = Arrival.stepByStep(all).outcomes();
    expect(outcomes).toEqual(Arrival.atOnce(all).outcomes());
    return statusOf(outcomes, hostKey(1), 'no-ip-collisions-in-network');
  };

  it('counts as long as a connected host reports it', () => {
    expect(statusAfter(reported)).toBe('failure');
    expect(statusAfter(reported, silent(2))).toBe('success');
    expect(statusAfter(reported, silent(2), hostEvent(hostKey(2), 'HostReturned', {}))).toBe('failure');
    expect(statusAfter(reported, lostMedia(2))).toBe('success');
    expect(statusAfter(reported, lostMedia(2), hostEvent(hostKey(2), 'HostMediaReconnected', {}))).toBe('failure');
  });
});
