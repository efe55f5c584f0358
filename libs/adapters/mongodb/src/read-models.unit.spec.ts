import { promises as dns } from 'node:dns';
import { BSON, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { explainFailure, mongodbReadModels, partsOf, toFilter, toSort } from './read-models';

describe('MongoDB query of read models', () => {
  it('compares the whole value of fields of the document', () => {
    expect(toFilter({ cluster_id: 'c1', status: ['known', 'insufficient'], enabled: false })).toEqual({
      'document.cluster_id': { $in: ['c1'], $not: { $type: 'array' } },
      'document.status': { $in: ['known', 'insufficient'], $not: { $type: 'array' } },
      'document.enabled': { $in: [false], $not: { $type: 'array' } },
    });
  });

  it('selects no document for an undefined value, as the read models in memory do', () => {
    const where = { cluster_id: undefined } as unknown as Parameters<typeof toFilter>[0];
    expect(toFilter(where)).toEqual({ 'document.cluster_id': { $in: [], $not: { $type: 'array' } } });
  });

  it('selects the documents after a key', () => {
    expect(toFilter({}, 'h2')).toEqual({ _id: { $gt: 'h2' } });
  });

  it('orders equal values by key', () => {
    expect(Object.entries(toSort({ field: 'name', descending: true }))).toEqual([
      ['document.name', -1],
      ['_id', 1],
    ]);
  });

  it.each(['$where', 'a.b', '', 'a\0', '.'])('refuses %j as a field', (field) => {
    expect(() => toFilter({ [field]: 'x' })).toThrow(/top-level field/);
    expect(() => toSort({ field })).toThrow(/top-level field/);
  });
});

describe('changes of read models in MongoDB', () => {
  it('replace names of members that BSON refuses, which a host or a user may choose', () => {
    const put = (document: object) => ({ kind: 'put', collection: 'hosts', key: 'h1', document }) as const;
    const stored = (document: object) => BSON.deserialize(BSON.serialize({ changes: partsOf([put(document)]).flat() }));
    expect(stored({ seen: [{ '10.0.0.1\0': ['a\0'] }], name: '"_bsontype":\\u0000' })).toEqual({
      changes: [put({ seen: [{ '10.0.0.1\uFFFD': ['a\0'] }], name: '"_bsontype":\\u0000' })],
    });
    expect(stored({ props: { _bsontype: 'ObjectId', a: '_bsontype' } })).toEqual({
      changes: [put({ props: { bsontype: 'ObjectId', a: '_bsontype' } })],
    });
  });
});

describe('errors of the MongoDB driver', () => {
  it('name the host of a URL with mongodb+srv', async () => {
    const found = { name: 'a.example.invalid', port: 27_017, priority: 0, weight: 0 };
    const resolve = (_: string, type: string) => Promise.resolve(type === 'SRV' ? [found] : [['']]);
    const lookUp = jest.spyOn(dns, 'resolve').mockImplementation(resolve as never);
    const url = 'mongodb+srv://cluster.example.invalid/muster?serverSelectionTimeoutMS=50';
    await expect(mongodbReadModels({ url })).rejects.toMatchObject({ server: 'MongoDB at cluster.example.invalid' });
    lookUp.mockRestore();
  });

  const failure = (error: unknown, isWrite = true) => explainFailure(error, 'MongoDB at a:1', isWrite);

  it.each([
    ['a broken connection', new MongoNetworkError('connection 3 to a:1 closed'), true],
    ['a server that does not answer', new MongoNetworkTimeoutError('connection 3 to a:1 timed out'), true],
    ['a change of the primary', new MongoServerError({ message: 'not primary', code: 10107 }), true],
    ['a server that shuts down', new MongoServerError({ message: 'shutting down', code: 11600 }), true],
    [
      'a list that the server forgot when it restarted',
      new MongoServerError({ message: 'cursor id 5', code: 43 }),
      true,
    ],
    ['a server that has no majority yet', new MongoServerError({ message: 'not available yet', code: 134 }), true],
    ['members that do not confirm a write', new MongoServerError({ message: 'waiting timed out', code: 64 }), true],
    ['a replica set that is not initialized', new MongoServerError({ message: 'no config', code: 94 }), true],
    ['a replica set that has no keys yet', new MongoServerError({ message: 'No keys found', code: 211 }), true],
    ['a router that finds no primary', new MongoServerError({ message: 'Could not find host', code: 133 }), true],
    ['a router whose shard does not answer', new MongoServerError({ message: 'Request timed out', code: 202 }), true],
  ])('%s is converted to Unavailable with an unknown outcome', (_, error, isOutcomeUnknown) => {
    expect(failure(error)).toMatchObject({ server: 'MongoDB at a:1', isOutcomeUnknown, isRefused: false });
    expect(failure(error, false)).toMatchObject({ isOutcomeUnknown: false });
  });

  it.each([
    ['a failed authentication', { message: 'Authentication failed.', code: 18 }],
    ['a failed authentication of Atlas', { message: 'bad auth : authentication failed', code: 8000 }],
  ])('%s is converted to a refusal', (_, answer) => {
    const error = new MongoServerError(answer);
    expect(failure(error)).toMatchObject({ isRefused: true, isOutcomeUnknown: false });
  });

  it.each([
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 })],
    ['a defect', new TypeError('x is undefined')],
  ])('%s is not converted, because it is about the request', (_, error) => expect(failure(error)).toBeUndefined());
});
