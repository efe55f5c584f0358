import { toFilter, toSort } from './read-models';

describe('a query of read models, said to MongoDB', () => {
  it('asks for the whole value of fields of the document', () => {
    expect(toFilter({ cluster_id: 'c1', status: ['known', 'insufficient'], enabled: false })).toEqual({
      'document.cluster_id': { $eq: 'c1', $not: { $type: 'array' } },
      'document.status': { $in: ['known', 'insufficient'], $not: { $type: 'array' } },
      'document.enabled': { $eq: false, $not: { $type: 'array' } },
    });
  });

  it('breaks ties by key', () => {
    expect(Object.entries(toSort({ field: 'name', descending: true }))).toEqual([
      ['document.name', -1],
      ['_id', 1],
    ]);
  });

  it.each(['$where', 'a.b', '', 'a\0', '.'])('does not take %j for a field', (field) => {
    expect(() => toFilter({ [field]: 'x' })).toThrow(/top-level field/);
    expect(() => toSort({ field })).toThrow(/top-level field/);
  });
});
