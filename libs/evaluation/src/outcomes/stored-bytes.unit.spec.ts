import { toStoredData } from '@muster/contracts';
import {
  clusterRegistered,
  hostEntered,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
} from '@muster/testing';
import { FactsView } from '../facts/facts-view';
import { parseSubject } from '../facts/view-entries';
import { POLICY } from './arrival.fixture.spec';
import { evaluateClusterOutcomes, evaluateHostOutcomes, type Remember } from './evaluate';
import { outcomeDecider, type RecordedOutcomes } from './outcomes.decider';

const AT = '2024-01-01T00:00:00.000Z';
const KEY = hostKey(1);
const NOT_CONFIGURED = { machineNetworks: { items: [] }, apiVips: { items: [] }, ingressVips: { items: [] } };
const WITHOUT_MEMORY: Remember = (found) => found;

/** Evaluates after each event as the service does. Returns the number of events and bytes that each event causes. */
function storing(
  ...facts: Parameters<typeof recorded>[0]
): readonly { readonly events: number; readonly bytes: number }[] {
  const view = new FactsView();
  const known = new Map<string, RecordedOutcomes>();
  return recorded(facts).map((event) => {
    const stored = view.observe(event).flatMap((subject) => {
      const before = known.get(subject) ?? outcomeDecider.initialState();
      const { kind, id } = parseSubject(subject);
      const [host, cluster] = kind === 'host' ? [view.host(id)] : [undefined, view.cluster(id)];
      const command =
        (host && evaluateHostOutcomes(host, view, POLICY, WITHOUT_MEMORY, AT)) ??
        (cluster && evaluateClusterOutcomes(cluster, view, POLICY, WITHOUT_MEMORY, AT));
      const decision = command && outcomeDecider.decide(command, before);
      const events = decision?.kind === 'accepted' ? decision.events : [];
      known.set(subject, events.reduce(outcomeDecider.evolve, before));
      return events.map((one) => JSON.stringify(toStoredData(one)).length);
    });
    return { events: stored.length, bytes: stored.reduce((sum, bytes) => sum + bytes, 0) };
  });
}

describe('events stored by the evaluation', () => {
  const [, cluster, registered, discovering, inventory] = storing(
    infraEnvRegistered(),
    clusterRegistered(NOT_CONFIGURED),
    hostRegistered(KEY),
    hostEntered(KEY, 'discovering'),
    inventoryReported(KEY),
  );

  it('are none for a new cluster without reports', () => {
    expect(cluster).toEqual({ events: 0, bytes: 0 });
  });

  it('contain only the number of hosts for a registered host', () => {
    expect((registered?.bytes ?? 0) + (discovering?.bytes ?? 0)).toBeLessThan(600);
  });

  it('contain a reason and parameters per outcome for an inventory', () => {
    expect(inventory?.bytes).toBeLessThan(3_000);
  });
});
