import { toPage, toTable } from './report';

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

  it('says on its page when the figures mean nothing', () => {
    expect(toPage(MEASUREMENTS, true)).toContain('mean nothing');
    expect(toPage(MEASUREMENTS, false)).not.toContain('mean nothing');
  });
});
