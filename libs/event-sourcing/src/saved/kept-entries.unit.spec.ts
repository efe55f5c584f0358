import { inMemoryStateStore } from '@muster/adapter-in-memory';
import fc from 'fast-check';
import { KeptEntries, viewFold } from './kept-entries';
import type { FrozenChanges } from './saved-states';

interface Host {
  cluster: string;
  isOpen: boolean;
}

const KIND = {
  shape: { name: 'hosts', fields: ['cluster'] },
  fieldsOf: ({ cluster }: Host) => [cluster],
  toSaved: (host: Host) => ({ ...host }),
  fromSaved: (host: Host) => ({ ...host }),
  isOpen: ({ isOpen }: Host) => isOpen,
};
const KEYS = ['a', 'b', 'c', 'd'];
const CLUSTERS = ['', 'one', 'two'];

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('set', 'change'),
      key: fc.constantFrom(...KEYS),
      cluster: fc.constantFrom(...CLUSTERS),
      isOpen: fc.boolean(),
    }),
    fc.record({ do: fc.constant('delete'), key: fc.constantFrom(...KEYS) }),
    fc.record({ do: fc.constantFrom('begin', 'succeed', 'fail', 'find') }),
  ),
  { maxLength: 40 },
);

describe('kept entries', () => {
  it('finds the entries with a value, whether they are changed, being saved or saved', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const fold = viewFold('sample', 1, [KIND.shape]);
        const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: fold.tables });
        const entries = new KeptEntries<string, Host, Host>(KIND, state);
        const expected = new Map<string, Host>();
        let saving: FrozenChanges | undefined;
        const expectFound = (): void => {
          for (const cluster of CLUSTERS) {
            const wanted = [...expected].flatMap(([key, host]) => (host.cluster === cluster ? [key] : []));
            expect([...entries.keysWhere('cluster', cluster)].sort()).toEqual(wanted.sort());
          }
        };
        for (const step of history) {
          if (step.do === 'find') expectFound();
          else if (step.do === 'begin') saving ??= entries.freeze();
          else if (step.do === 'fail') {
            saving?.failed();
            saving = undefined;
          } else if (step.do === 'succeed' && saving) {
            await state.save([...saving.changes], saving.saved);
            saving = undefined;
          } else if ('cluster' in step) {
            const { key, cluster, isOpen } = step;
            const host = entries.get(key);
            if (step.do === 'change' && host) {
              Object.assign(host, { cluster, isOpen });
              entries.changed(key);
            } else entries.set(key, { cluster, isOpen });
            expected.set(key, { cluster, isOpen });
          } else if ('key' in step) {
            entries.delete(step.key);
            expected.delete(step.key);
          }
        }
        expectFound();
      }),
    );
  });

  it('decides once per save which entries leave memory, before any of them does', async () => {
    const fold = viewFold('sample', 1, [KIND.shape]);
    const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: fold.tables });
    const isOpen = jest.fn(KIND.isOpen);
    const entries = new KeptEntries<string, Host, Host>({ ...KIND, isOpen }, state);
    for (const key of KEYS) entries.set(key, { cluster: 'one', isOpen: key === 'a' });
    const saving = entries.freeze();
    expect(isOpen).toHaveBeenCalledTimes(KEYS.length);
    entries.changed('d');
    await state.save([...saving.changes], saving.saved);
    expect(isOpen).toHaveBeenCalledTimes(KEYS.length);
    expect(entries.unsaved).toBe(1);
  });
});
