import type { InventoryEvent } from '@muster/contracts';
import { type InventoryCommand, inventoryDecider, type ReportedState } from './reports-decider';

const HOSTS = ['a', 'b'] as const;
const connectivity = (
  generation: number,
  hostIds: readonly string[] = HOSTS,
  vanishedPeers: string[] = [],
  fingerprint = hostIds.join(),
): InventoryEvent => ({
  type: 'ConnectivityReported',
  data: {
    body: { digest: 'sha256:1', bytes: 1 },
    generation,
    fingerprint,
    peers: hostIds.map((hostId) => ({
      hostId,
      nearAddresses: ['10.0.0.1'],
      farAddresses: ['10.0.0.1'],
      latencyMs: 1,
      packetLossPercent: 0,
    })),
    vanishedPeers,
    collisions: [],
    mtuMeasured: true,
    mtuFailures: [],
  },
});
const ntp = (generation: number): InventoryEvent => ({ type: 'NtpSourcesReported', data: { sources: [], generation } });
const record = (event: InventoryEvent): InventoryCommand => ({ type: 'RecordReport', event });

const after = (...events: readonly InventoryEvent[]): ReportedState =>
  events.reduce(inventoryDecider.evolve, inventoryDecider.initialState());
function stored(command: InventoryCommand, state: ReportedState): readonly InventoryEvent[] {
  const decision = inventoryDecider.decide(command, state);
  if (decision.kind === 'refused') throw new Error('refused');
  return decision.events;
}

describe('the reports of a host that has registered again', () => {
  it('name all other hosts again, also when their connections are the same as before', () => {
    expect(stored(record(connectivity(2)), after(connectivity(1)))).toEqual([connectivity(2)]);
  });

  it('name only the changes within one registration', () => {
    const report = connectivity(1, ['a', 'c']);
    expect(stored(record(report), after(connectivity(1)))).toEqual([connectivity(1, ['c'], ['b'], 'a,c')]);
  });

  it('replace those of the registration before', () => {
    const state = after(connectivity(1), ntp(1), ntp(2));
    expect(state.generation).toBe(2);
    expect([...state.fingerprints.keys()]).toEqual(['ntp-synchronizer']);
    expect(state.peers.size).toBe(0);
  });

  it('are not changed by a late event of the registration before', () => {
    const state = after(ntp(2));
    expect(inventoryDecider.evolve(state, connectivity(1))).toBe(state);
  });

  it('are stored from the first registration on, whose generation is 1 or higher', () => {
    expect(stored(record(ntp(1)), after())).toEqual([ntp(1)]);
    expect(stored(record(ntp(0)), after(ntp(1)))).toEqual([]);
  });
});
