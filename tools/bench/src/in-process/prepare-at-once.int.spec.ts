import { createBenchBed } from '../bench-bed';
import { prepareAtOnce } from './prepare-at-once.bench';

describe('the bench of clusters that prepare at once', () => {
  const bed = createBenchBed({ isQuick: true, dataDirectory: undefined, program: undefined, tell: () => undefined });
  afterAll(() => bed.remove());

  it('prepares every cluster without a release that has to be downloaded', async () => {
    const [measurement] = await prepareAtOnce.run(bed);
    expect(measurement?.what).toBe('10 clusters of 3 hosts preparing at once');
  }, 120_000);
});
