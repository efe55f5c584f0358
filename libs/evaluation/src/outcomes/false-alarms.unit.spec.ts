import type { MusterEvent } from '@muster/contracts';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
} from '@muster/testing';
import { INITIAL_CLUSTER_OUTCOMES, initialHostOutcomes, type Outcome } from '@muster/validation-rules';
import { FactsView } from '../facts/facts-view';
import { parseSubject, type Subject } from '../facts/view-entries';
import { Arrival, POLICY } from './arrival.fixture.spec';
import { evaluateClusterOutcomes, evaluateHostOutcomes, type Remember } from './evaluate';
import { outcomeDecider, type RecordedOutcomes } from './outcomes.decider';

type Events = Parameters<typeof recorded>[0];

const AT = '2024-01-01T00:00:00.000Z';
const NOT_CONFIGURED = { machineNetworks: { items: [] }, apiVips: { items: [] }, ingressVips: { items: [] } };
const NETWORK = '192.168.128.0/24';
const WITHOUT_MEMORY: Remember = (found) => found;

/** Evaluates after each event. Returns every recorded outcome that changed from success to failure. */
function newFailuresOf(events: Events): readonly string[] {
  const view = new FactsView();
  const known = new Map<Subject, RecordedOutcomes>();
  const alarms: string[] = [];
  const evaluate = (subject: Subject): readonly Subject[] => {
    const before = known.get(subject) ?? outcomeDecider.initialState();
    const { kind, id } = parseSubject(subject);
    const [host, cluster] = kind === 'host' ? [view.host(id)] : [undefined, view.cluster(id)];
    const command =
      (host && evaluateHostOutcomes(host, view, POLICY, WITHOUT_MEMORY, AT)) ??
      (cluster && evaluateClusterOutcomes(cluster, view, POLICY, WITHOUT_MEMORY, AT));
    const decision = command && outcomeDecider.decide(command, before);
    const [event] = decision?.kind === 'accepted' ? decision.events : [];
    if (!event) return [];
    known.set(subject, outcomeDecider.evolve(before, event));
    const initial = kind === 'host' ? initialHostOutcomes(true) : INITIAL_CLUSTER_OUTCOMES;
    const statusBefore = ({ id: rule }: Outcome) => (before.outcomes.get(rule) ?? initial.get(rule))?.status;
    for (const outcome of event.data.changed)
      if (outcome.status === 'failure' && statusBefore(outcome) === 'success') alarms.push(`${kind} ${outcome.id}`);
    const groups = event.type === 'ClusterOutcomesChanged' ? event.data.connectivityGroups : undefined;
    return groups ? view.observeGroups(id, groups) : [];
  };
  for (const event of recorded(events)) {
    const due = [...view.observe(event)];
    for (let subject = due.shift(); subject !== undefined; subject = due.shift()) due.push(...evaluate(subject));
  }
  return alarms;
}

const peer = (number: number) => ({
  hostId: hostKey(number).slice(37),
  nearAddresses: [`192.168.128.1${number}`],
  farAddresses: [`192.168.128.1${number}`],
  latencyMs: 1,
});
const inventory = (number: number) =>
  inventoryReported(hostKey(number), { nics: [{ name: 'ens3', ipv4Addresses: [`192.168.128.1${number}/24`] }] });
const connectivity = (number: number, ...others: readonly number[]) =>
  reportEvent(hostKey(number), 'ConnectivityReported' satisfies MusterEvent['type'], {
    peers: others.map(peer),
    mtuMeasured: true,
    fingerprint: others.join(),
  });
const each = (make: (number: number) => Events[number]): Events => [1, 2, 3].map(make);
const ROUTED_WITH_FOURTH_HOST: Events = [
  infraEnvRegistered(),
  clusterRegistered({ ...NOT_CONFIGURED, platformType: 'none', userManagedNetworking: true }),
  ...each((number) => hostRegistered(hostKey(number))),
  ...each(inventory),
  connectivity(1, 2, 3),
  connectivity(2, 1, 3),
  connectivity(3, 1, 2),
  hostRegistered(hostKey(4)),
  inventory(4),
];
const statuses = (status: string): Events => each((number) => hostEntered(hostKey(number), status));
const reports = (number: number): Events => [
  reportEvent(hostKey(number), 'ClockOffsetMeasured', { offsetSeconds: 0 }),
  reportEvent(hostKey(number), 'NtpSourcesReported', { sources: [{ sourceName: 'ntp', sourceState: 'synced' }] }),
  reportEvent(hostKey(number), 'DomainsResolved', {
    resolutions: ['', '.'].map((dot) => ({ domainName: `validateNoWildcardDNS.c.example.com${dot}` })),
  }),
];
const verification = (at: number) => ({
  vip: `192.168.128.10${at}`,
  vipType: at === 0 ? 'api' : 'ingress',
  verification: 'succeeded',
});

describe('no outcome changes from success to failure', () => {
  it('while three hosts register, report their connectivity, and receive VIPs', () => {
    const alarms = newFailuresOf([
      infraEnvRegistered(),
      clusterRegistered(NOT_CONFIGURED),
      clusterEvent('ClusterEnteredStatus', { status: 'pending-for-input', from: 'insufficient', at: AT }),
      ...each((number) => hostRegistered(hostKey(number))),
      ...statuses('discovering'),
      ...each(inventory),
      ...statuses('pending-for-input'),
      ...[1, 2, 3].flatMap(reports),
      connectivity(1, 2, 3),
      connectivity(2, 1),
      connectivity(3, 1, 2),
      clusterEvent('ClusterSettingsRevised', {
        changes: { apiVips: { items: ['192.168.128.100'] }, ingressVips: { items: ['192.168.128.101'] } },
      }),
      clusterEvent('MachineNetworksDerived', { cidrs: [NETWORK] }),
      ...statuses('insufficient'),
      connectivity(2, 1, 3),
      ...each((number) => hostEvent(hostKey(number), 'HostRoleSuggested', { role: 'master' })),
      ...each((number) =>
        hostEvent(hostKey(number), 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' }),
      ),
      reportEvent(hostKey(1), 'VipsVerified', { vips: [verification(0), verification(1)] }),
      ...statuses('known'),
      clusterEvent('ClusterEnteredStatus', { status: 'ready', from: 'insufficient', at: AT }),
    ]);
    expect(alarms).toEqual([]);
  });

  it('while a single node registers and reports', () => {
    const key = hostKey(1);
    const alarms = newFailuresOf([
      infraEnvRegistered(),
      clusterRegistered({ ...NOT_CONFIGURED, controlPlaneCount: 1, platformType: 'none', userManagedNetworking: true }),
      hostRegistered(key, { role: 'master' }),
      hostEntered(key, 'discovering'),
      inventory(1),
      clusterEvent('MachineNetworksDerived', { cidrs: [NETWORK] }),
      hostEvent(key, 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' }),
      hostEntered(key, 'insufficient'),
      ...reports(1),
      hostEntered(key, 'known'),
      clusterEvent('ClusterEnteredStatus', { status: 'ready', from: 'insufficient', at: AT }),
    ]);
    expect(alarms).toEqual([]);
  });

  it('while a fourth host of a routed cluster registers, reports, and registers again', () => {
    const alarms = newFailuresOf([
      ...ROUTED_WITH_FOURTH_HOST,
      connectivity(1, 2, 3, 4),
      connectivity(2, 1, 3, 4),
      connectivity(3, 1, 2, 4),
      connectivity(4, 1, 2, 3),
      hostEvent(hostKey(4), 'HostReregistered', { discoveryAgentVersion: 'v', kind: 'Host', clusterId: CLUSTER_ID }),
    ]);
    expect(alarms).toEqual([]);
  });

  it('when the only host that has reported its connectivity registers again', () => {
    const withReport = (...report: Events): object =>
      Arrival.stepByStep([
        infraEnvRegistered(),
        clusterRegistered(),
        ...each((number) => hostRegistered(hostKey(number))),
        inventory(3),
        hostEvent(hostKey(3), 'HostFellSilent', { lastSeenAt: AT }),
        ...report,
        hostEvent(hostKey(2), 'HostReregistered', { discoveryAgentVersion: 'v', kind: 'Host', clusterId: CLUSTER_ID }),
      ]).outcomes();
    expect(withReport(connectivity(2, 1))).toEqual(withReport());
  });

  it('except for a host without a connection to the others', () => {
    const alarms = newFailuresOf([
      infraEnvRegistered(),
      clusterRegistered(),
      ...[4].map((number) => hostRegistered(hostKey(number))),
      ...each((number) => hostRegistered(hostKey(number))),
      ...each(inventory),
      connectivity(1, 2, 3),
      connectivity(2, 1, 3),
      connectivity(3, 1, 2),
      reportEvent(hostKey(3), 'ConnectivityReported', {
        peers: [1, 2].map((number) => ({ ...peer(number), nearAddresses: [], farAddresses: [] })),
        mtuMeasured: true,
        fingerprint: 'cut off',
      }),
    ]);
    expect(alarms).toContain('host belongs-to-majority-group');
  });
});

describe('the outcomes of the other hosts', () => {
  it('are evaluated again when a host of a routed cluster gets or loses its addresses', () => {
    const steps: Events = [
      ...ROUTED_WITH_FOURTH_HOST,
      connectivity(4, 1, 2),
      inventoryReported(hostKey(4), { nics: [{ name: 'ens3', ipv4Addresses: [] }] }),
    ];
    for (const count of steps.keys()) {
      const arrived = steps.slice(0, count + 1);
      expect(Arrival.stepByStep(arrived).outcomes()).toEqual(Arrival.atOnce(arrived).outcomes());
    }
  });
});
