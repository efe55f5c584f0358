import { hostEvent, hostKey, recorded } from '@muster/testing';
import { namedByStatuses } from './store-compaction';

describe('the rules that statuses name', () => {
  const statusReason = { code: 'validations', failing: ['ntp-synced'], pending: ['connected'] } as never;
  const entered = { status: 'insufficient', from: '', transition: 't', at: '', statusReason };
  const statuses = (count: number) =>
    recorded(Array.from({ length: count }, () => hostEvent(hostKey(1), 'HostEnteredStatus', entered)));

  it('are those of the statuses between two outcomes', () => {
    const [first, second, third, ...others] = statuses(5);
    if (!first || !second || !third) throw new Error('no events');
    // The first status is before the outcomes, and the last ones are behind them.
    const isNamed = namedByStatuses([first, third, ...others], [second, others[0] ?? third]);
    expect([isNamed('ntp-synced', 0, 1), isNamed('connected', 0, 1), isNamed('other', 0, 1)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isNamed('ntp-synced', 1, 2), namedByStatuses([first], [second])('ntp-synced', 0, 1)]).toEqual([
      true,
      false,
    ]);
  });

  it('are found without reading all other statuses', () => {
    const all = statuses(1_000);
    const outcomes = all.filter((_, index) => index % 2 === 0);
    const isNamed = namedByStatuses(
      all.filter((_, index) => index % 2 === 1),
      outcomes,
    );
    const includes = jest.spyOn(Array.prototype, 'includes');
    const found = outcomes.filter((_, index) => isNamed('other', index, index + 1));
    const looks = includes.mock.calls.length;
    includes.mockRestore();
    expect(found).toEqual([]);
    expect(looks).toBeLessThan(2 * all.length);
  });
});
