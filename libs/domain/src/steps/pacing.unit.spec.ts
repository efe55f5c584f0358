import { PollScheduler, type PollSituation } from './pacing';
import type { StepPlan } from './step-table';

const PLAN: StepPlan = { steps: [{ type: 'inventory', args: [] }], intervalSeconds: 60, then: 'continue' };
const READY: PollSituation = {
  host: 'h',
  hostStatus: 'known',
  clusterId: 'c',
  clusterStatus: 'ready',
  hostCount: 3,
  remoteHosts: () => ({ version: 1, changedAtMs: -60_000 }),
  receivesNudges: false,
};

describe('poll interval', () => {
  let pace: PollScheduler;
  beforeEach(() => (pace = new PollScheduler()));

  it.each([
    ['a cluster that waits for input', { clusterStatus: 'pending-for-input' }],
    ['a host without a cluster', { clusterStatus: '' }],
    ['an agent that receives wake-ups', { receivesNudges: true }],
  ])('is one minute for %s', (_case, changes) => {
    for (const nowMs of [0, 1_000])
      expect(pace.apply(PLAN, { ...READY, ...changes }, nowMs)).toEqual({ ...PLAN, holdSeconds: 0 });
  });

  it.each(['ready', 'preparing-for-installation'])(
    'holds a poll without new steps in a cluster that is %s',
    (clusterStatus) => {
      const situation = { ...READY, clusterStatus };
      expect(pace.apply(PLAN, situation, 0)).toEqual({ ...PLAN, intervalSeconds: 1, holdSeconds: 0 });
      expect(pace.apply(PLAN, situation, 1_000)).toEqual({ ...PLAN, steps: [], intervalSeconds: 1, holdSeconds: 20 });
    },
  );

  it.each([
    ['preparing-for-installation', 'installing'],
    ['preparing-successful', 'installing'],
  ])('holds a poll of a host that is %s while its cluster is %s', (hostStatus, clusterStatus) => {
    const situation = { ...READY, hostStatus, clusterStatus };
    expect(pace.apply(PLAN, situation, 0).intervalSeconds).toBe(1);
    expect(pace.apply(PLAN, situation, 1_000)).toMatchObject({ steps: [], intervalSeconds: 1, holdSeconds: 20 });
  });

  it('holds a poll of a host that can be added to a running cluster, and not that of one that cannot yet', () => {
    const pollAt = (nowMs: number, changes: Partial<PollSituation>) =>
      pace.apply(PLAN, { ...READY, clusterStatus: 'adding-hosts', ...changes }, nowMs);
    pollAt(0, {});
    expect(pollAt(1_000, {})).toMatchObject({ steps: [], intervalSeconds: 1, holdSeconds: 20 });
    const waiting = { host: 'waiting', hostStatus: 'insufficient' };
    expect(pollAt(0, waiting)).toEqual({ ...PLAN, holdSeconds: 0 });
    // Like the hosts of ready clusters, the others poll less often when they are many.
    for (let n = 1; n < 2_000; n += 1) pollAt(1_000, { host: `h${n}` });
    expect(pollAt(2_000, {})).toMatchObject({ intervalSeconds: 20 });
  });

  it('limits the polls per second of a very large cluster', () => {
    const intervalOf = (hostCount: number) => pace.apply(PLAN, { ...READY, hostCount }, 0).intervalSeconds;
    expect([500, 1_000].map(intervalOf)).toEqual([1, 20]);
  });

  it('limits the polls per second of all ready clusters, and not those of a cluster that prepares', () => {
    const pollOf = (hosts: number, nowMs: number, changes: Partial<PollSituation> = {}) => {
      for (let n = 1; n < hosts; n += 1)
        pace.apply(PLAN, { ...READY, host: `h${n}`, clusterId: `c${Math.ceil(n / 3)}` }, nowMs);
      return pace.apply(PLAN, { ...READY, ...changes }, nowMs).intervalSeconds;
    };
    expect([pollOf(1_000, 0), pollOf(2_000, 0), pollOf(20_000, 0)]).toEqual([1, 20, 40]);
    expect(pollOf(1, 0, { clusterStatus: 'preparing-for-installation' })).toBe(1);
    expect(pollOf(1, 0, { hostStatus: 'preparing-successful' })).toBe(1);
    // The hosts of one minute count until the end of the next.
    expect([pollOf(1, 61_000), pollOf(1, 121_000)]).toEqual([40, 1]);
  });

  it('repeats steps once per minute and ends the hold when they are due', () => {
    const paced = (nowMs: number) => {
      const { steps, holdSeconds } = pace.apply(PLAN, READY, nowMs);
      return [steps.length, holdSeconds];
    };
    expect([0, 1_000, 22_000, 43_000, 59_500, 61_000].map(paced)).toEqual([
      [1, 0],
      [0, 20],
      [0, 20],
      [0, 16],
      [1, 0],
      [0, 20],
    ]);
  });

  it('returns new steps without a hold', () => {
    pace.apply(PLAN, READY, 0);
    const install: StepPlan = { ...PLAN, steps: [{ type: 'install', args: ['{}'] }] };
    const situation = { ...READY, hostStatus: 'installing', clusterStatus: 'preparing-for-installation' };
    expect(pace.apply(install, situation, 2_000).steps).toEqual(install.steps);
  });

  it('repeats the connectivity check when the other hosts have changed', () => {
    const check: StepPlan = { ...PLAN, steps: [{ type: 'connectivity-check', args: ['[]'] }] };
    const stepsAt = (nowMs: number, version: number) =>
      pace.apply(check, { ...READY, remoteHosts: () => ({ version, changedAtMs: -60_000 }) }, nowMs).steps.length;
    expect([stepsAt(0, 1), stepsAt(1_000, 1), stepsAt(2_000, 2), stepsAt(3_000, 2)]).toEqual([1, 0, 1, 0]);
  });

  it('is short until the first inventory of a host, and sends its steps once a minute', () => {
    const situation = { ...READY, hostStatus: 'discovering', clusterStatus: 'pending-for-input' };
    const stepsAt = (nowMs: number) => {
      const { steps, intervalSeconds, holdSeconds } = pace.apply(PLAN, situation, nowMs);
      expect([intervalSeconds, holdSeconds]).toEqual([5, 0]);
      return steps.length;
    };
    expect([0, 5_000, 10_000, 59_500, 64_500].map(stepsAt)).toEqual([1, 0, 0, 1, 0]);
  });

  it('is short until the first inventory, and sends the steps again to an agent that has started again', () => {
    const situation = { ...READY, hostStatus: 'discovering', clusterStatus: 'pending-for-input' };
    for (const nowMs of [0, 1_000, 2_000]) expect(pace.apply(PLAN, situation, nowMs).steps).toEqual(PLAN.steps);
  });

  it('holds a poll when only the order of the steps has changed', () => {
    const inventory = { type: 'inventory', args: ['h'] } as const;
    const names = { type: 'domain-resolution', args: ['{}'] } as const;
    const stepsAt = (nowMs: number, steps: StepPlan['steps']) => pace.apply({ ...PLAN, steps }, READY, nowMs).steps;
    expect(stepsAt(0, [inventory, names])).toHaveLength(2);
    expect(stepsAt(1_000, [names, inventory])).toEqual([]);
  });

  it('holds a poll without any step', () => {
    const none: StepPlan = { ...PLAN, steps: [] };
    const situation = { ...READY, hostStatus: 'preparing-successful' };
    for (const nowMs of [0, 1_000]) expect(pace.apply(none, situation, nowMs)).toMatchObject({ holdSeconds: 20 });
    expect(pace.apply(PLAN, situation, 2_000).steps).toEqual(PLAN.steps);
  });

  describe('of a host that checks its connectivity', () => {
    const check = { type: 'connectivity-check', args: ['[]'] } as const;
    const plan: StepPlan = { ...PLAN, steps: [...PLAN.steps, check] };
    const WAITING = { ...READY, clusterStatus: 'insufficient' };
    const pollAt = (nowMs: number, changes: Partial<PollSituation> = {}) => {
      const { steps, intervalSeconds, holdSeconds } = pace.apply(plan, { ...WAITING, ...changes }, nowMs);
      return { checks: steps.includes(check), steps: steps.length, intervalSeconds, holdSeconds };
    };

    it('is short after a check that named other hosts than the one before', () => {
      const intervalAt = (nowMs: number, version: number) =>
        pollAt(nowMs, { remoteHosts: () => ({ version, changedAtMs: -60_000 }) }).intervalSeconds;
      expect([intervalAt(0, 1), intervalAt(15_000, 2), intervalAt(30_000, 2), intervalAt(90_000, 2)]).toEqual([
        15, 15, 60, 60,
      ]);
    });

    it('grows with the number of hosts', () => {
      expect(
        [300, 500, 1_000, 5_000].map((hostCount) => pollAt(0, { host: `h${hostCount}`, hostCount }).intervalSeconds),
      ).toEqual([15, 20, 40, 60]);
    });

    it('ends when the rate limit allows the check', () => {
      const hostCount = 1_000;
      for (let n = 0; n < 50; n += 1) expect(pollAt(0, { hostCount, host: `h${n}` }).checks).toBe(true);
      for (let n = 50; n < 99; n += 1) expect(pollAt(0, { hostCount, host: `h${n}` }).checks).toBe(false);
      // 450 checks per minute: the fiftieth host that waits.
      expect(pollAt(0, { hostCount })).toMatchObject({ checks: false, steps: 1, intervalSeconds: 7 });
      expect(pollAt(7_000, { hostCount })).toMatchObject({ checks: true, steps: 1, intervalSeconds: 40 });
      expect(pollAt(47_000, { hostCount })).toMatchObject({ checks: false, intervalSeconds: 60 });
    });

    it('lets 1,000 hosts that boot in the same second check within three minutes, and repeat it more slowly', () => {
      const hostCount = 1_000;
      const duePolls = new Map(Array.from({ length: hostCount }, (_, n) => [`h${n}`, 0]));
      const checksPerMinute = [0, 0, 0, 0, 0, 0, 0];
      const checked = new Set<string>();
      let checkedAtMs = 0;
      for (let nowMs = 0; nowMs < checksPerMinute.length * 60_000; nowMs += 1_000)
        for (const [host, dueMs] of duePolls) {
          if (dueMs > nowMs) continue;
          const { checks, intervalSeconds } = pollAt(nowMs, { host, hostCount });
          duePolls.set(host, nowMs + intervalSeconds * 1_000);
          if (!checks) continue;
          const minute = Math.floor(nowMs / 60_000);
          checksPerMinute[minute] = (checksPerMinute[minute] ?? 0) + 1;
          if (checked.size < hostCount) checkedAtMs = nowMs;
          checked.add(host);
        }
      expect(checked.size).toBe(hostCount);
      expect(checkedAtMs).toBeLessThan(3 * 60_000);
      expect(Math.max(...checksPerMinute.slice(0, 3))).toBeLessThanOrEqual(50 + 450 + 150);
      expect(Math.max(...checksPerMinute.slice(4))).toBeLessThanOrEqual(150);
      expect(Math.min(...checksPerMinute.slice(4))).toBeGreaterThan(100);
    });

    it('waits while hosts join a large cluster, at most a minute', () => {
      const checksAt = (nowMs: number, changedAtMs: number, hostCount: number) =>
        pollAt(nowMs, { host: `h${hostCount}`, hostCount, remoteHosts: () => ({ version: changedAtMs, changedAtMs }) })
          .checks;
      expect([checksAt(0, 0, 49), checksAt(5_000, 4_999, 49)]).toEqual([true, true]);
      expect([checksAt(0, 0, 100), checksAt(15_000, 13_001, 100), checksAt(30_000, 28_000, 100)]).toEqual([
        false,
        false,
        true,
      ]);
      expect([checksAt(0, 0, 200), checksAt(59_000, 58_000, 200), checksAt(60_000, 59_000, 200)]).toEqual([
        false,
        false,
        true,
      ]);
    });

    it('sends the other steps once a minute, and again to an agent that has started again', () => {
      const stepsAt = (nowMs: number) =>
        pollAt(nowMs, { remoteHosts: () => ({ version: nowMs, changedAtMs: 0 }) }).steps;
      expect([0, 15_000, 30_000, 45_000, 60_000, 61_000].map(stepsAt)).toEqual([2, 1, 1, 1, 2, 2]);
    });

    it('holds polls independent of the rate limit, and sends the check alone when it is allowed', () => {
      const situation = { clusterStatus: 'ready', hostCount: 500 };
      for (let n = 0; n < 100; n += 1) pollAt(0, { ...situation, host: `h${n}` });
      const at = (nowMs: number) => pollAt(nowMs, situation);
      expect(at(0)).toMatchObject({ checks: false, steps: 1 });
      expect(at(50)).toMatchObject({ checks: false, steps: 0, holdSeconds: 1 });
      expect(at(21_000)).toMatchObject({ checks: true, steps: 1, holdSeconds: 0 });
      expect(at(22_000)).toMatchObject({ checks: false, steps: 0, holdSeconds: 20 });
    });
  });

  it('does not hold the poll of an agent that has to exit', () => {
    const exit: StepPlan = { steps: [], intervalSeconds: 0, then: 'exit' };
    expect(pace.apply(exit, READY, 0)).toEqual({ ...exit, holdSeconds: 0 });
  });
});
