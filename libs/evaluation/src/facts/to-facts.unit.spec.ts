import {
  CLUSTER_ID,
  clusterRegistered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import { SERVICE_DEFAULTS } from '@muster/validation-rules';
import { evaluateHostOutcomes } from '../outcomes/evaluate';
import { FactsView } from './facts-view';
import { toClusterFacts, toHostFacts } from './to-facts';
import { hostSubject } from './view-entries';

const HOST = hostKey(1);
const NETWORK = '192.168.128.0/24';
const registered = [infraEnvRegistered(), clusterRegistered(), hostRegistered(HOST), inventoryReported(HOST)];

function viewOf(...events: readonly SampleEvent[]): FactsView {
  const view = new FactsView();
  for (const event of recorded(events)) view.observe(event);
  return view;
}

function entryOf(view: FactsView): NonNullable<ReturnType<FactsView['host']>> {
  const entry = view.host(HOST);
  if (!entry) throw new Error('There is no host.');
  return entry;
}

it('the free addresses of a silent host do not verify a VIP', () => {
  const free = reportEvent(HOST, 'FreeAddressesReported', {
    networks: [{ network: NETWORK, ranges: ['192.168.128.90-192.168.128.120'] }],
  });
  const verifications = (...events: readonly SampleEvent[]): readonly string[] => {
    const view = viewOf(...registered, free, ...events);
    const cluster = view.cluster(CLUSTER_ID);
    if (!cluster) throw new Error('There is no cluster.');
    return toClusterFacts(cluster, view, SERVICE_DEFAULTS).vipVerifications.map(({ verification }) => verification);
  };
  expect(verifications()).toEqual(['succeeded', 'succeeded']);
  expect(verifications(hostEvent(HOST, 'HostFellSilent', { lastSeenAt: '' }))).toEqual(['unverified', 'unverified']);
});

describe('the NTP sources of an infra-env', () => {
  const [, ...others] = registered;
  const revised = (changes: object): SampleEvent =>
    ({
      ...infraEnvRegistered(),
      event: { type: 'InfraEnvSettingsRevised', data: { changes, pullSecretReplaced: false } },
    }) as SampleEvent;

  it.each(['ntpSources', 'additionalNtpSources'])(
    'are known with %s, and their change affects its hosts',
    (setting) => {
      const settings = { [setting]: 'ntp.example.com' };
      const hasSources = (view: FactsView): boolean =>
        toHostFacts(entryOf(view), view, SERVICE_DEFAULTS).infraEnvHasNtpSources;
      expect(hasSources(viewOf(...registered))).toBe(false);
      expect(hasSources(viewOf(infraEnvRegistered(settings), ...others))).toBe(true);
      const view = viewOf(...registered);
      const [affected] = recorded([revised(settings)]).map((event) => view.observe(event));
      expect(affected).toEqual([hostSubject(HOST)]);
      expect(hasSources(view)).toBe(true);
    },
  );
});

it('outcomes of a host may be delayed until its installation begins', () => {
  const isDelayed = (...events: readonly SampleEvent[]): boolean => {
    const view = viewOf(...registered, ...events);
    const delayed: boolean[] = [];
    evaluateHostOutcomes(
      entryOf(view),
      view,
      SERVICE_DEFAULTS,
      (outcomes, isDamped) => {
        delayed.push(isDamped('connected'));
        return outcomes;
      },
      '',
    );
    return delayed.includes(true);
  };
  expect(isDelayed()).toBe(true);
  expect(isDelayed(hostEvent(HOST, 'HostProgressed', { stage: 'Installing', stageChanged: true }))).toBe(false);
});
