import { comparisonIn, mergeWithPage, toPage, toTable, withComparison } from './report';

const MEASUREMENTS = [
  { what: 'a', measured: '1 000/s', budget: '' },
  { what: 'something long', measured: '2', budget: '< 3' },
];

describe('the report', () => {
  it('is a Markdown table whose columns line up', () => {
    expect(toTable(MEASUREMENTS).split('\n')).toEqual([
      '| what           | measured | budget |',
      '| -------------- | -------- | ------ |',
      '| a              | 1 000/s  |        |',
      '| something long | 2        | < 3    |',
    ]);
  });

  it('marks the figures of a quick run', () => {
    expect(toPage(MEASUREMENTS, true)).toContain('not comparable');
    expect(toPage(MEASUREMENTS, false)).not.toContain('not comparable');
  });

  it('keeps the comparison beside the rows, and replaces it with the next one', () => {
    const page = withComparison(toPage(MEASUREMENTS, false), '| a | b | c |');
    expect(comparisonIn(page)?.trim()).toBe('| a | b | c |');
    expect(mergeWithPage(page, [])).toEqual(MEASUREMENTS);
    expect(withComparison(page, 'another')).toBe(withComparison(toPage(MEASUREMENTS, false), 'another'));
  });

  it('replaces the rows of a page that were measured again, and adds new ones', () => {
    const again = [
      { what: 'something long', measured: '1', budget: '< 3' },
      { what: 'new', measured: '7', budget: '' },
    ];
    expect(mergeWithPage(toPage(MEASUREMENTS, false), again)).toEqual([MEASUREMENTS[0], ...again]);
    expect(mergeWithPage('Machine: another one.', again)).toEqual(again);
  });
});
