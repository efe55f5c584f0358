import { inMemoryStateStore } from '@muster/adapter-in-memory';
import { byText, compareFields, type JsonObject, type StateTable } from '@muster/ports';
import fc from 'fast-check';
import { BoundedMap } from '../bounded-map';
import { KeptCollection } from './kept-collection';
import type { FrozenChanges } from './saved-states';

const TABLE: StateTable = { name: 'events', fields: ['cluster_id', 'rank'], indexes: [['cluster_id'], ['rank']] };

const open = async () => {
  const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: [TABLE] });
  return { state, documents: new KeptCollection(TABLE, state, new BoundedMap(100)) };
};

describe('late pages of a kept collection', () => {
  it('read few more rows than the wanted ones', async () => {
    const { state, documents } = await open();
    const put = (from: number, to: number, clusterId = 'c1'): void => {
      for (let n = from; n < to; n += 1) documents.put(`event-${n}`, { cluster_id: clusterId, n });
    };
    put(100, 900);
    put(100, 103, 'c2');
    const saving = documents.freeze();
    await state.save(saving.changes, saving.saved);
    put(900, 902);
    put(103, 105, 'c2');
    put(898, 899, 'c2');
    const find = jest.spyOn(state, 'find');
    const found = (descending: boolean): readonly unknown[] =>
      documents
        .find({ collection: TABLE.name, where: { cluster_id: 'c1' }, orderBy: { descending }, offset: 700 }, 3)
        .map(({ document }) => document['n']);
    expect(found(false)).toEqual([805, 806, 807]);
    expect(found(true)).toEqual([200, 199, 198]);
    const ranges = find.mock.calls.map(([, { offset, limit }]) => ({ offset, limit }));
    expect(new Set(ranges.map(({ offset }) => offset))).toEqual(new Set([698]));
    expect(Math.max(...ranges.map(({ limit = Infinity }) => limit))).toBeLessThanOrEqual(10);
  });

  const KEYS = Array.from({ length: 20 }, (_, n) => `k${String.fromCharCode(97 + n)}`);
  const document = fc.record(
    { cluster_id: fc.constantFrom('c1', 'c2'), rank: fc.integer({ min: 0, max: 4 }) },
    { requiredKeys: [] },
  );
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...KEYS), fc.option(document, { nil: undefined })) },
    { weight: 1, arbitrary: fc.constantFrom('begin' as const, 'save' as const, 'fail' as const) },
  );

  it('contain what a list of all documents has at their place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { state, documents } = await open();
        const all = new Map<string, JsonObject>();
        let saving: FrozenChanges | undefined;
        for (const one of steps) {
          if (typeof one !== 'string') {
            const [key, put] = one;
            documents.put(key, put);
            if (put) all.set(key, put);
            else all.delete(key);
          } else if (!saving) saving = documents.freeze();
          else if (one === 'save') saving = void (await state.save(saving.changes, saving.saved));
          else if (one === 'fail') saving = void saving.failed();
        }
        for (const field of [undefined, 'rank'])
          for (const descending of [false, true]) {
            const sign = descending ? -1 : 1;
            const keys = [...all]
              .filter(([, { cluster_id: id }]) => id === 'c1')
              .sort(([left, one], [right, other]) =>
                field
                  ? sign * compareFields(one[field], other[field]) || byText(left, right)
                  : sign * byText(left, right),
              )
              .map(([key]) => key);
            for (let offset = 0; offset <= KEYS.length; offset += 1) {
              const query = {
                collection: TABLE.name,
                where: { cluster_id: 'c1' },
                orderBy: { field, descending },
                offset,
              };
              expect(documents.find(query, 3).map(({ key }) => key)).toEqual(keys.slice(offset, offset + 3));
            }
          }
      }),
    );
  });
});
