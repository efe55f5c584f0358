import { temporaryDirectory } from '@muster/testing';
import { countCalls, type CountedCall } from './counts.bench';

describe('the cost of a call, counted', () => {
  const directory = temporaryDirectory();
  let counted: readonly CountedCall[];
  const of = (what: string) => counted.find((one) => one.what === what)?.counts;

  beforeAll(async () => {
    counted = await countCalls(directory.path, 3);
  }, 120_000);
  afterAll(() => directory.remove());

  it('of an unchanged inventory is no round trip to the store and no event', () => {
    expect(of('inventory, unchanged')).toMatchObject({ events: 0, appends: 0, reads: 0, reactions: 0 });
  });

  it('of instructions is no round trip to the store and no event', () => {
    expect(of('instructions')).toMatchObject({ events: 0, appends: 0, reads: 0, reactions: 0 });
  });

  it('of a registration includes at most one read of a stream: whether the host exists', () => {
    expect(of('registration')?.reads).toBeLessThanOrEqual(1);
  });

  it('of a changed inventory includes no read of a stream', () => {
    expect(of('inventory, changed')?.reads).toBe(0);
  });
});
