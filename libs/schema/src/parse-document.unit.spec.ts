import { Type } from '@sinclair/typebox';
import { createJsonParser, createParser, formatPlace, formatViolation, holds, type Parsed, valueOf } from '.';

const DISK = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    size_bytes: Type.Integer({ minimum: 0 }),
    kind: Type.Optional(Type.Union([Type.Literal('hdd'), Type.Literal('ssd')])),
    role: Type.Optional(Type.Unsafe<'install' | 'none'>({ type: 'string', enum: ['install', 'none'] })),
    mac: Type.Optional(
      Type.String({ pattern: '^[0-9a-f:]{17}$', expected: 'a MAC address such as 02:00:00:80:12:14' }),
    ),
  },
  { additionalProperties: false },
);
const INVENTORY = Type.Object({
  disks: Type.Array(DISK, { maxItems: 2 }),
  id: Type.Optional(Type.String({ format: 'uuid' })),
});

const sentences = (parsed: Parsed<unknown>): readonly string[] =>
  parsed.kind === 'valid' ? [] : parsed.violations.map(formatViolation);

describe('createParser', () => {
  const parse = createParser(INVENTORY, { name: 'inventory' });
  const withDisk = (disk: object): object => ({ disks: [{ name: 'sda', size_bytes: 1 }, disk] });

  it('returns a document that matches its schema', () => {
    const document = { disks: [{ name: 'sda', size_bytes: 1 }] };
    expect(parse(document)).toEqual({ kind: 'valid', value: document });
  });

  it.each([
    [
      'a wrong type',
      { name: 'sdb', size_bytes: '12' },
      'inventory.disks[1].size_bytes must be a whole number, not "12"',
    ],
    [
      'a number that is too small',
      { name: 'sdb', size_bytes: -1 },
      'inventory.disks[1].size_bytes must be at least 0, not -1',
    ],
    ['an empty string', { name: '', size_bytes: 1 }, 'inventory.disks[1].name must not be empty'],
    ['a missing member', { name: 'sdb' }, 'inventory.disks[1].size_bytes is required'],
    [
      'a value outside of a list',
      { name: 'sdb', size_bytes: 1, role: 'x' },
      'inventory.disks[1].role must be one of install, none, not "x"',
    ],
    [
      'a value with an expectation',
      { name: 'sdb', size_bytes: 1, mac: 'x' },
      'inventory.disks[1].mac must be a MAC address such as 02:00:00:80:12:14, not "x"',
    ],
    [
      'an unknown member',
      { name: 'sdb', size_bytes: 1, colour: 'red' },
      'inventory.disks[1].colour is not a known field. Known fields: name, size_bytes, kind, role, mac',
    ],
  ])('reports the path and the expected value for %s', (_, disk, sentence) => {
    expect(sentences(parse(withDisk(disk)))).toEqual([sentence]);
  });

  it('uses the name of the document for violations of the whole document', () => {
    expect(sentences(parse([]))).toEqual(['inventory must be an object, not a list of 0 entries']);
    expect(sentences(createParser(INVENTORY, { name: '' })({ disks: [], id: 'x' }))).toEqual([
      'id must be a UUID such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8, not "x"',
    ]);
  });

  it('omits secret values from messages', () => {
    const read = createParser(INVENTORY, { name: 'inventory', hidesValues: true });
    expect(sentences(read({ disks: 'secret' }))).toEqual(['inventory.disks must be a list']);
  });

  it('createJsonParser parses JSON texts', () => {
    const read = createJsonParser(INVENTORY, { name: 'inventory' });
    expect(valueOf(read('{"disks":[]}'))).toEqual({ disks: [] });
    expect(valueOf(read('{"disks":1}'))).toBeUndefined();
    expect(sentences(read('{"disks":'))).toEqual(['inventory must be a JSON document']);
  });

  it('shortens long values in messages', () => {
    const [sentence = ''] = sentences(parse(withDisk({ name: 'sdb', size_bytes: 'x'.repeat(1_000) })));
    expect(sentence.length).toBeLessThan(200);
  });

  it('shortens long names of members in messages', () => {
    const parse = createParser(Type.Object({ a: Type.Object({}, { additionalProperties: false }) }), { name: 'd' });
    const found = parse({ a: { ['x'.repeat(1_000)]: 1 } });
    expect(found).toMatchObject({ violations: [{ path: `d.a.${'x'.repeat(80)}…` }] });
  });

  it('removes unknown members when dropsUnknown is set', () => {
    const drop = createParser(INVENTORY, { name: 'inventory', dropsUnknown: true });
    expect(drop({ disks: [], more: 1 })).toEqual({ kind: 'valid', value: { disks: [] } });
  });

  it('reports every violation when reportsAll is set', () => {
    const all = createParser(INVENTORY, { name: 'inventory', reportsAll: true });
    expect(sentences(all(withDisk({ size_bytes: 'x' })))).toHaveLength(2);
  });

  it('checks a value with a predicate', () => {
    const even = holds((value) => Number(value) % 2 === 0, 'an even number');
    const check = createParser(Type.Object({ a: Type.Optional(even) }), { name: '' });
    expect(check({ a: '4' })).toEqual({ kind: 'valid', value: { a: '4' } });
    expect(check({})).toEqual({ kind: 'valid', value: {} });
    expect(sentences(check({ a: '5' }))).toEqual(['a must be an even number, not "5"']);
  });

  it.each([
    [{ list: [{ 1: 'x' }] }, ['list', 0, '1'], 'list[0].1'],
    [{ list: [{}] }, ['list', 0], 'list[0].1'],
    [{ list: [{ 1: 1, 'a/b': 1 }] }, ['list', 0, 'a/b'], 'list[0].a/b'],
    [{ list: {} }, ['list'], 'list'],
    [[], [], ''],
  ])('formats the path %j with names and indices', (document, place, path) => {
    const entry = Type.Object({ 1: Type.Integer() }, { additionalProperties: false });
    const parsed = createParser(Type.Object({ list: Type.Array(entry) }), { name: '' })(document);
    expect(parsed).toMatchObject({ kind: 'invalid', violations: [{ place, path }] });
    expect(path.startsWith(formatPlace(place))).toBe(true);
  });

  it('treats null as absent when nullIsAbsent is set', () => {
    const nullable = createParser(INVENTORY, { name: 'inventory', nullIsAbsent: true });
    expect(nullable({ disks: [{ name: 'sda', size_bytes: 1, role: null }], id: null })).toEqual({
      kind: 'valid',
      value: { disks: [{ name: 'sda', size_bytes: 1 }] },
    });
    expect(sentences(nullable({ disks: null }))).toEqual(['inventory.disks is required']);
    expect(sentences(nullable({ disks: [null] }))).toEqual(['inventory.disks[0] must be an object, not null']);
  });
});
