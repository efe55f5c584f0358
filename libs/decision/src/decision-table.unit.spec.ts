import { findGaps, findOverlaps, type Row, selectRow } from './decision-table';
import { indexRows } from './row-index';

const LIGHTS = { hour: ['day', 'night'], traffic: [true, false] } as const;
type LightRow = Row<'red' | 'green', 'tick' | 'stop', typeof LIGHTS>;

const row = (id: string, more: Partial<LightRow>): LightRow => ({
  id,
  from: ['red'],
  on: 'tick',
  to: 'green',
  why: '',
  ...more,
});
const ROWS: readonly LightRow[] = [
  row('go', { when: { traffic: [true] } }),
  row('rest', { when: { traffic: [false], hour: ['night'] }, to: 'stay' }),
  row('idle', { when: { traffic: [false], hour: ['day'] }, to: 'stay' }),
  row('end', { from: ['green'], to: 'red' }),
];

const scan = selectRow<'red' | 'green', 'tick' | 'stop', typeof LIGHTS, LightRow>;

describe('a decision table', () => {
  it('without overlap and gap passes both checks', () => {
    expect(findOverlaps(ROWS)).toEqual([]);
    expect(findGaps(ROWS, LIGHTS, 'red', 'tick')).toEqual([]);
  });

  it('shows rows that could both apply', () => {
    const rows = [...ROWS, row('hurry', { when: { hour: ['night'] } })];
    expect(findOverlaps(rows)).toEqual([
      { status: 'red', first: 'go', second: 'hurry' },
      { status: 'red', first: 'rest', second: 'hurry' },
    ]);
  });

  it('shows guardValueSets that no row admits', () => {
    expect(findGaps(ROWS.slice(0, 2), LIGHTS, 'red', 'tick')).toEqual([{ traffic: false, hour: 'day' }]);
  });

  it('leaves pairs without rows to be refused', () => {
    expect(findGaps(ROWS, LIGHTS, 'green', 'stop')).toEqual([]);
    expect(scan(ROWS, 'green', 'stop', { hour: 'day', traffic: true })).toBeUndefined();
  });

  it('gives the same row with and without an index', () => {
    const select = indexRows<'red' | 'green', 'tick' | 'stop', typeof LIGHTS, LightRow>(ROWS);
    const chosen: (string | undefined)[] = [];
    for (const status of ['red', 'green'] as const)
      for (const on of ['tick', 'stop'] as const)
        for (const hour of LIGHTS.hour)
          for (const traffic of LIGHTS.traffic) {
            const found = select(status, on, { hour, traffic });
            expect(found).toBe(scan(ROWS, status, on, { hour, traffic }));
            chosen.push(found?.id);
          }
    expect(new Set(chosen)).toEqual(new Set(['go', 'idle', 'rest', 'end', undefined]));
  });
});
