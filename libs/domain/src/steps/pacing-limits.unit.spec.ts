import { PollScheduler, type PollSituation } from './pacing';
import type { StepPlan } from './step-table';

const INVENTORY = { type: 'inventory', args: [] } as const;
const SITUATION: PollSituation = {
  host: 'h',
  hostStatus: 'insufficient',
  clusterId: 'c',
  clusterStatus: 'insufficient',
  hostCount: 3,
  remoteHosts: () => ({ version: 1, changedAtMs: 0 }),
  receivesNudges: false,
};
const START_MS = 1_000_000;

describe('the steps of a poll', () => {
  let pace: PollScheduler;
  beforeEach(() => (pace = new PollScheduler()));

  /** Polls at a time since the start, with the text of the other hosts, which have changed at `changedAtMs`. */
  const poll = (atMs: number, changes: Partial<PollSituation> = {}, otherHosts = '[]', changedAtMs = -60_000) => {
    const steps = [INVENTORY, { type: 'connectivity-check', args: [otherHosts] } as const];
    const plan: StepPlan = { steps, intervalSeconds: 60, then: 'continue' };
    const remoteHosts = () => ({ version: changedAtMs, changedAtMs: START_MS + changedAtMs });
    return pace.apply(plan, { ...SITUATION, remoteHosts, ...changes }, START_MS + atMs).steps.map(({ type }) => type);
  };
  const CHECK = ['connectivity-check'];
  const BOTH = ['inventory', 'connectivity-check'];

  it('contain the check once a minute in a large cluster whose hosts change all the time', () => {
    const checksAt = (atMs: number) => poll(atMs, { hostCount: 200 }, '[]', atMs).includes('connectivity-check');
    const checks = [0, 30_000, 60_000, 61_000, 119_000, 120_000, 121_000].map(checksAt);
    expect(checks).toEqual([false, false, true, false, false, true, false]);
  });

  it('contain the check immediately in a cluster of fewer than 50 hosts', () => {
    const checks = [49, 50].map((hostCount) => poll(0, { hostCount, host: `h${hostCount}` }, '[]', 0));
    expect(checks).toEqual([BOTH, ['inventory']]);
  });

  it('contain the check alone when the other hosts have changed', () => {
    expect(poll(0, {}, '[{"host_id":"a"}]', -120_000)).toEqual(BOTH);
    expect(poll(35_000, {}, '[{"host_id":"b"}]', 34_000)).toEqual(CHECK);
  });

  it('are sent again to an agent that polls in less than half of its interval', () => {
    const discovering = { hostStatus: 'discovering' };
    const sent = [0, 2_400, 4_900].map((atMs) => poll(atMs, discovering).includes('inventory'));
    expect(sent).toEqual([true, true, false]);
  });

  it('are those of the next round one second before its end', () => {
    const ready = { hostStatus: 'known', clusterStatus: 'ready' };
    const sent = [0, 58_900, 59_000].map((atMs) => poll(atMs, ready).includes('inventory'));
    expect(sent).toEqual([true, false, true]);
  });
});
