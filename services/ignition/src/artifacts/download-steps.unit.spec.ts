import { manualClock } from '@muster/testing';
import { downloadSteps } from './artifacts-process';

const MIB = 1024 ** 2;

describe('the reported progress of a download', () => {
  it('is each tenth of a layer, once', () => {
    const steps = downloadSteps(manualClock());
    const at = (mib: number) => steps({ image: 'a', bytes: mib * MIB, totalBytes: 100 * MIB });
    expect([0, 5, 10, 11, 25, 25].map(at).map((step) => step?.split('/')[1])).toEqual([
      '0',
      undefined,
      '1',
      undefined,
      '2',
      undefined,
    ]);
    expect(steps({ image: 'a', bytes: 1, totalBytes: 100 })).toBeUndefined();
  });

  it('is every minute when a tenth takes longer, but only with new bytes', () => {
    const clock = manualClock();
    const steps = downloadSteps(clock);
    const at = (mib: number) => steps({ image: 'a', bytes: mib * MIB, totalBytes: 1_000 * MIB }) !== undefined;
    expect(at(1)).toBe(true);
    clock.advance(59_000);
    expect(at(2)).toBe(false);
    clock.advance(2_000);
    expect(at(2)).toBe(true);
    clock.advance(120_000);
    expect(at(2)).toBe(false);
    expect(at(3)).toBe(true);
  });

  it('is every minute also after the clock was set back', () => {
    const clock = manualClock();
    const steps = downloadSteps(clock);
    const at = (mib: number) => steps({ image: 'a', bytes: mib * MIB, totalBytes: 1_000 * MIB }) !== undefined;
    expect(at(1)).toBe(true);
    clock.set(clock.nowMs() - 3_600_000);
    clock.advance(61_000);
    expect(at(2)).toBe(true);
  });
});
