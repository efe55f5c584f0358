import type { StepPlan } from './next-steps';
import { PollPace, type PollSituation } from './poll-pace';

const PLAN: StepPlan = { steps: [{ type: 'inventory', args: [] }], intervalSeconds: 60, then: 'continue' };
const READY: PollSituation = {
  host: 'h',
  hostStatus: 'known',
  clusterStatus: 'ready',
  hostCount: 3,
  receivesNudges: false,
};

describe('The pace of polls', () => {
  let pace: PollPace;
  beforeEach(() => (pace = new PollPace()));

  it.each([
    ['a cluster that waits for input', { clusterStatus: 'pending-for-input' }],
    ['the pool', { clusterStatus: '' }],
    ['an agent that receives nudges', { receivesNudges: true }],
  ])('stays at a minute for %s', (_case, changes) => {
    for (const nowMs of [0, 1_000]) expect(pace.apply(PLAN, { ...READY, ...changes }, nowMs)).toEqual(PLAN);
  });

  it.each(['ready', 'preparing-for-installation'])(
    'is two seconds for hosts of a cluster that is %s',
    (clusterStatus) => {
      expect(pace.apply(PLAN, { ...READY, clusterStatus }, 0).intervalSeconds).toBe(2);
    },
  );

  it('is slower in a large cluster', () => {
    expect(pace.apply(PLAN, { ...READY, hostCount: 500 }, 0).intervalSeconds).toBe(20);
  });

  it('repeats steps once a minute only', () => {
    const steps = (nowMs: number) => pace.apply(PLAN, READY, nowMs).steps.length;
    expect([0, 2_000, 30_000, 57_000].map(steps)).toEqual([1, 0, 0, 0]);
    expect([59_500, 61_000].map(steps)).toEqual([1, 0]);
  });

  it('sends other steps at once', () => {
    pace.apply(PLAN, READY, 0);
    const install: StepPlan = { ...PLAN, steps: [{ type: 'install', args: ['{}'] }] };
    const situation = { ...READY, hostStatus: 'installing', clusterStatus: 'preparing-for-installation' };
    expect(pace.apply(install, situation, 2_000).steps).toEqual(install.steps);
  });

  it('does not keep an agent that has to end', () => {
    const exit: StepPlan = { steps: [], intervalSeconds: 0, then: 'exit' };
    expect(pace.apply(exit, READY, 0)).toEqual(exit);
  });
});
