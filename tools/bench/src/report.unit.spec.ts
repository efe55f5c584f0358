import { comparisonIn, mergeWithPage, toPage, toTable, withComparison } from './report';

const MEASUREMENTS = [
  { what: 'a', measured: '1 000/s', budget: '' },
  { what: 'something long', measured: '2', budget: '< 3' },
];
const SECTIONS = [
  { bench: 'one', measurements: MEASUREMENTS },
  { bench: 'two', measurements: [{ what: 'b', measured: '5', budget: '' }] },
];
const BENCHES = ['one', 'two', 'three'];

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
    expect(toPage(SECTIONS, true)).toContain('not comparable');
    expect(toPage(SECTIONS, false)).not.toContain('not comparable');
  });

  it('keeps the comparison beside the rows, and replaces it with the next one', () => {
    const page = withComparison(toPage(SECTIONS, false), '| a | b | c |');
    expect(comparisonIn(page)?.trim()).toBe('| a | b | c |');
    expect(mergeWithPage(page, [], BENCHES)).toEqual(SECTIONS);
    expect(withComparison(page, 'another')).toBe(withComparison(toPage(SECTIONS, false), 'another'));
  });

  it('replaces all rows of a benchmark that ran again, and adds those of a new one', () => {
    const again = { bench: 'one', measurements: [{ what: 'something long', measured: '1', budget: '< 3' }] };
    const first = { bench: 'three', measurements: [{ what: 'new', measured: '7', budget: '' }] };
    expect(mergeWithPage(toPage(SECTIONS, false), [first, again], BENCHES)).toEqual([again, SECTIONS[1], first]);
    expect(mergeWithPage('Machine: another one.', [again], BENCHES)).toEqual([again]);
  });

  it('discards the rows of a benchmark that no longer exists', () => {
    expect(mergeWithPage(toPage(SECTIONS, false), [], ['one'])).toEqual([SECTIONS[0]]);
  });
});
