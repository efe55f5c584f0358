import { type ClusterJourney, FUNNEL_STEPS } from '@muster/assisted-api';
import { FunnelCount, funnelWindow } from './funnel';
import { after, clusterJourney, MADE_AT } from './journey.fixture.spec';

const funnelOf = (...journeys: readonly ClusterJourney[]) => {
  const count = new FunnelCount();
  journeys.forEach((journey) => count.add(journey));
  return count.figures();
};
const stepOf = (funnel: ReturnType<typeof funnelOf>, name: string) => funnel.steps.find(({ step }) => step === name);

describe('the funnel', () => {
  it('has all steps and no conversion without clusters', () => {
    const { clusters, steps } = funnelOf();
    expect(clusters).toBe(0);
    expect(steps.map(({ step }) => step)).toEqual(FUNNEL_STEPS);
    expect(new Set(steps.map(({ conversion, median_seconds: median }) => conversion ?? median))).toEqual(
      new Set([null]),
    );
  });

  it('counts clusters per step with conversion and duration', () => {
    const journeys = Array.from({ length: 10 }, (_, index) =>
      clusterJourney({
        steps: {
          'cluster-created': MADE_AT,
          'infra-env-created': after(index + 1),
          ...(index < 4 ? { 'image-first-downloaded': after(100) } : {}),
        },
      }),
    );
    const funnel = funnelOf(...journeys);
    expect(stepOf(funnel, 'cluster-created')).toMatchObject({ reached: 10, conversion: null, median_seconds: null });
    expect(stepOf(funnel, 'infra-env-created')).toMatchObject({
      reached: 10,
      conversion: 1,
      median_seconds: 5,
      p90_seconds: 9,
    });
    expect(stepOf(funnel, 'image-first-downloaded')).toMatchObject({ reached: 4, conversion: 0.4 });
    expect(stepOf(funnel, 'image-download-completed')).toMatchObject({ reached: 0, conversion: 0, p90_seconds: null });
  });

  it('does not count clusters that skipped a step', () => {
    const steps = { 'cluster-created': MADE_AT, 'image-first-downloaded': after(5) };
    const step = stepOf(funnelOf(clusterJourney({ steps })), 'image-first-downloaded');
    expect(step).toMatchObject({ reached: 1, conversion: null, median_seconds: null });
  });

  it('counts a duration of 0 where a later step came first', () => {
    const steps = {
      'image-first-downloaded': MADE_AT,
      'image-download-completed': after(60),
      'host-discovered': after(30),
    };
    expect(stepOf(funnelOf(clusterJourney({ steps })), 'host-discovered')?.median_seconds).toBe(0);
  });

  it('counts a cluster that was deleted before its installation ended as deleted, and the others by their outcome', () => {
    const outcomes = ['open', 'installed', 'failed', 'cancelled'] as const;
    const all = outcomes.flatMap((outcome) => [true, false].map((deleted) => clusterJourney({ outcome, deleted })));
    expect(funnelOf(...all)).toMatchObject({
      clusters: 8,
      open: 1,
      installed: 2,
      failed: 2,
      cancelled: 2,
      deleted: 1,
    });
  });

  it('groups failures by step, stage and reason, most frequent first', () => {
    const failure = { at: MADE_AT, kind: 'failed', step: 'installing', stage: 'Installing', reason: 'media' } as const;
    const other = { ...failure, reason: 'silence' };
    const { failures, failed, installed } = funnelOf(
      clusterJourney({ outcome: 'failed', failures: [failure] }),
      clusterJourney({ outcome: 'installed', failures: [other, other] }),
    );
    expect({ failed, installed }).toEqual({ failed: 1, installed: 1 });
    expect(failures.map(({ reason, count }) => [reason, count])).toEqual([
      ['silence', 2],
      ['media', 1],
    ]);
  });

  it('groups failures of preparations without their texts, which contain names of users', () => {
    const failure = { at: MADE_AT, kind: 'preparation-failed', step: 'cluster-ready', stage: 'preparing' } as const;
    const failures = ['baseDomain: "a.example"', 'baseDomain: "b.example"'].map((reason) => ({ ...failure, reason }));
    expect(funnelOf(clusterJourney({ failures })).failures).toEqual([
      { kind: 'preparation-failed', step: 'cluster-ready', stage: 'preparing', reason: 'preparation-failed', count: 2 },
    ]);
  });
});

describe('the window of a funnel', () => {
  const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

  it('defaults to the last 90 days including today', () => {
    const { from, to, days } = funnelWindow({}, NOW_MS);
    expect([from, to]).toEqual(['2025-12-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z']);
    expect([days[0], days.at(-1), days.length]).toEqual(['2025-12-01', '2026-03-01', 91]);
  });

  it('excludes the last day when the window ends at midnight', () => {
    expect(funnelWindow({ from: '2026-01-31', to: '2026-02-02' }, NOW_MS).days).toEqual(['2026-01-31', '2026-02-01']);
    expect(funnelWindow({ from: '2026-01-31T23:00:00-02:00', to: '2026-02-02' }, NOW_MS).days).toEqual(['2026-02-01']);
  });

  it.each([
    [{ from: '2026-02-02', to: '2026-02-01' }, /must be before/],
    [{ from: '2026-02-02', to: '2026-02-02' }, /must be before/],
    [{ from: '2024-01-01', to: '2026-02-02' }, /must not exceed 366 days/],
  ])('is refused when it is %j', (given, why) => {
    expect(() => funnelWindow(given, NOW_MS)).toThrow(why);
  });
});
