import { funnelLines } from './summary';

const step = (name: string, reached: number, median: number | null) => ({
  step: name,
  reached,
  median_seconds: median,
});

describe('the funnel in the summary', () => {
  it('shows how many clusters reached each step and the slowest step', () => {
    const steps = [step('cluster-created', 2, null), step('hardware-known', 2, 0.4), step('installed', 1, 7.25)];
    expect(funnelLines({ clusters: 2, installed: 1, steps })).toEqual([
      '  funnel                      2 created › 1 installed',
      '  longest step                to installed, 7.3 s (median)',
    ]);
  });

  it('omits the slowest step when no step has a duration', () => {
    const steps = [step('cluster-created', 2, null)];
    expect(funnelLines({ clusters: 2, installed: 0, steps })).toEqual(['  funnel                      2 created']);
  });
});
