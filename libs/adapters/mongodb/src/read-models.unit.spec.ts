import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { explainFailure, toFilter, toSort } from './read-models';

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

describe('an error of the MongoDB driver', () => {
  const failure = (error: unknown, isWrite = true) => explainFailure(error, 'MongoDB at a:1', isWrite);

  it.each([
    ['a broken connection', new MongoNetworkError('connection 3 to a:1 closed'), true],
    ['a silent server', new MongoNetworkTimeoutError('connection 3 to a:1 timed out'), true],
    ['a change of the primary', new MongoServerError({ message: 'not primary', code: 10107 }), true],
    ['a server that stops', new MongoServerError({ message: 'shutting down', code: 11600 }), true],
  ])('%s means: not available, and the outcome of a write is unknown', (_, error, isOutcomeUnknown) => {
    expect(failure(error)).toMatchObject({ server: 'MongoDB at a:1', isOutcomeUnknown, isRefused: false });
    expect(failure(error, false)).toMatchObject({ isOutcomeUnknown: false });
  });

  it('that authentication failed means: refused', () => {
    const error = new MongoServerError({ message: 'Authentication failed.', code: 18 });
    expect(failure(error)).toMatchObject({ isRefused: true, isOutcomeUnknown: false });
  });

  it.each([
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 })],
    ['a defect', new TypeError('x is undefined')],
  ])('%s is about the request', (_, error) => expect(failure(error)).toBeUndefined());
});
