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

const HOSTS = [1, 2, 3, 4];
const address = (number: number): string => `192.168.128.1${number}`;
const inventory = (number: number): SampleEvent =>
  inventoryReported(hostKey(number), { nics: [{ name: 'ens3', ipv4Addresses: [`${address(number)}/24`] }] });
const register = (hosts: readonly number[], settings: object = {}): readonly SampleEvent[] => [
  infraEnvRegistered(),
  clusterRegistered(settings),
  ...hosts.map((host) => hostRegistered(hostKey(host))),
  ...hosts.map(inventory),
];
const connectivity = (number: number, reached: readonly number[], hosts = HOSTS): SampleEvent =>
  reportEvent(hostKey(number), 'ConnectivityReported', {
    peers: hosts
      .filter((other) => other !== number)
      .map((other) => {
        const addresses = reached.includes(other) ? [address(other)] : [];
        return { hostId: hostKey(other).slice(37), nearAddresses: addresses, farAddresses: addresses, latencyMs: 1 };
      }),
  });

it.each([
  ['receives', { fencingCredentialsSet: true }],
  ['loses', { fencingCredentialsSet: false }],
])('the other host of a two-node cluster is evaluated again when one %s fencing credentials', (_, changes) => {
  const pair = [1, 2];
  const facts = [
    ...register(pair, { controlPlaneCount: 2 }),
    hostEvent(hostKey(1), 'HostSettingsRevised', {
      changes: { fencingCredentialsSet: !changes.fencingCredentialsSet },
    }),
    ...pair.map((host) => connectivity(host, [], pair)),
    hostEvent(hostKey(1), 'HostSettingsRevised', { changes }),
  ];
  expect(Arrival.stepByStep(facts).outcomes()).toEqual(Arrival.atOnce(facts).outcomes());
});

it('a host that left a group and joined it again before the cluster was evaluated is evaluated again', () => {
  const facts = [
    ...register(HOSTS),
    ...HOSTS.map((host) => connectivity(host, HOSTS)),
    connectivity(2, [3, 4]),
    hostEvent(hostKey(1), 'HostFellSilent', { lastSeenAt: '' }),
  ];
  const [beginning, change] = [facts.length - 2, facts.length - 1];
  const turns = facts.flatMap((_, at): readonly ('fold' | 'evaluate')[] =>
    at < beginning
      ? ['fold', ...HOSTS.flatMap(() => ['evaluate', 'evaluate'] as const)]
      : at === change
        ? ['evaluate', 'fold']
        : ['fold'],
  );
  expect(Arrival.later(facts, turns).outcomes()).toEqual(Arrival.atOnce(facts).outcomes());
});
