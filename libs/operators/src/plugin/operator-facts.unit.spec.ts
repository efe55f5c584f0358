import { areMastersForcedSchedulable, areMastersSchedulable, isSince, MOST_COUNTED, shapeOf } from './operator-facts';
import { cluster, hosts } from './sample-subjects.fixture.spec';

const MASTERS = ['master', 'master', 'master'];
const of = (...roles: readonly string[]) => cluster({ shape: shapeOf(hosts(...MASTERS, ...roles)) });

describe('numbers of hosts', () => {
  it('are by the role of the user, and workers also by the suggested role', () => {
    const roles = ['master', 'master', 'arbiter', 'worker', 'auto-assign>worker', 'auto-assign>master'];
    expect(shapeOf(hosts(...roles))).toEqual({
      hosts: MOST_COUNTED,
      masters: 2,
      arbiters: 1,
      workers: 1,
      unassigned: 2,
      effectiveWorkers: 2,
    });
  });

  it.each([
    [3, 3],
    [4, 4],
    [5, 4],
  ])('of %d hosts are counted as %d', (count, counted) => {
    expect(shapeOf(hosts(...Array.from({ length: count }, () => 'worker')))).toEqual({
      hosts: counted,
      masters: 0,
      arbiters: 0,
      workers: counted,
      unassigned: 0,
      effectiveWorkers: counted,
    });
  });
});

describe('workloads on the control plane', () => {
  it.each([
    ['no worker', of(), true],
    ['one worker', of('worker'), true],
    ['two workers', of('worker', 'worker'), false],
    ['two suggested workers', of('auto-assign>worker', 'auto-assign>worker'), false],
    ['a single node', { ...of('worker', 'worker'), isSingleNode: true }, true],
  ])('are necessary in a cluster with %s', (_case, subject, isForced) => {
    expect(areMastersForcedSchedulable(subject)).toBe(isForced);
    expect(areMastersSchedulable(subject)).toBe(isForced);
    expect(areMastersSchedulable({ ...subject, hasSchedulableMasters: true })).toBe(true);
  });
});

describe('a release', () => {
  it.each([
    [[4, 14, 3], true],
    [[4, 14, 4], true],
    [[4, 14, 2], false],
    [[4, 15, 0], true],
    [[4, 13, 9], false],
    [[5, 0, 0], true],
    [[3, 20, 9], false],
    [undefined, false],
  ] as const)('of %j is at least 4.14.3: %s', (release, isReached) => {
    expect(isSince({ release }, 4, 14, 3)).toBe(isReached);
  });

  it('has patch 0 when none is given', () => {
    expect([isSince({ release: [4, 14, 0] }, 4, 14), isSince({ release: [4, 13, 99] }, 4, 14)]).toEqual([true, false]);
  });
});
