import { failedOperatorsOf } from './installation.controller';

describe('failedOperatorsOf', () => {
  it('returns the operators that a report describes as failed', () => {
    const report = [
      { name: 'dns', status: 'failed', status_info: 'no answer' },
      { name: 'etcd', status: 'available' },
      { name: 'mco', status: 'failed' },
    ];
    expect(failedOperatorsOf({ CLUSTER_OPERATORS_REPORT: report })).toEqual(['dns (no answer)', 'mco']);
  });

  it('shortens what an operator reports', () => {
    const report = [{ name: 'n'.repeat(1_000), status: 'failed', status_info: 'i'.repeat(10_000) }];
    const [shown] = failedOperatorsOf({ CLUSTER_OPERATORS_REPORT: report });
    expect(shown).toBe(`${'n'.repeat(100)} (${'i'.repeat(300)})`);
  });

  it.each([
    undefined,
    {},
    { CLUSTER_OPERATORS_REPORT: 'all' },
    { CLUSTER_OPERATORS_REPORT: [null, 1, { status: 'failed' }] },
  ])('returns nothing for %j', (data) => expect(failedOperatorsOf(data)).toEqual([]));
});
