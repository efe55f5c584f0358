import { inMemoryStateStore } from '@muster/adapter-in-memory';
import fc from 'fast-check';
import { KeptEntries, viewFold } from './kept-entries';
import type { FrozenChanges } from './saved-states';
import { decodeValue } from './values';

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
type Step =
  | { readonly do: 'set' | 'change'; readonly key: string; readonly cluster: string; readonly isOpen: boolean }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'copy' | 'begin' | 'succeed' | 'fail' | 'release' | 'find' };

const KEYS = ['a', 'b', 'c', 'd'];
const CLUSTERS = ['', 'one', 'two'];

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('set' as const, 'change' as const),
      key: fc.constantFrom(...KEYS),
      cluster: fc.constantFrom(...CLUSTERS),
      isOpen: fc.boolean(),
    }),
    fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom(...KEYS) }),
    fc.record({ do: fc.constantFrom(...(['copy', 'begin', 'succeed', 'fail', 'release', 'find'] as const)) }),
  ),
  { maxLength: 40, size: 'max' },
);

const CHANGED_AFTER_COPY: Step[] = [
  { do: 'set', key: 'a', cluster: '', isOpen: false },
  { do: 'copy' },
  { do: 'change', key: 'a', cluster: 'one', isOpen: false },
  { do: 'begin' },
  { do: 'succeed' },
];

describe('kept entries', () => {
  it('saves the entries as they are at the begin of a save, and finds them with a value before and after', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const fold = viewFold('sample', 1, [KIND.shape]);
        const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: fold.tables });
        const entries = new KeptEntries<string, Host, Host>(KIND, state);
        const expected = new Map<string, Host>();
        let saving: FrozenChanges | undefined;
        let copying: Iterator<undefined> | undefined;
        let releasing: Iterator<undefined> | undefined;
        let atBegin = new Map<string, Host>();
        const expectSaved = (): void => {
          for (const key of KEYS) {
            const value = state.get('hosts', key);
            expect(value && decodeValue(value)).toEqual(atBegin.get(key));
          }
          for (const cluster of CLUSTERS) {
            const wanted = [...atBegin].flatMap(([key, host]) => (host.cluster === cluster ? [key] : []));
            expect(state.find('hosts', { where: { cluster } }).map(({ key }) => key)).toEqual(wanted.sort());
          }
        };
        const expectFound = (): void => {
          for (const cluster of CLUSTERS) {
            const wanted = [...expected].flatMap(([key, host]) => (host.cluster === cluster ? [key] : []));
            expect([...entries.keysWhere('cluster', cluster)].sort()).toEqual(wanted.sort());
          }
          for (const key of KEYS) expect(entries.get(key)).toEqual(expected.get(key));
        };
        for (const step of history) {
          if (step.do === 'find') expectFound();
          else if (step.do === 'release') releasing?.next();
          else if (step.do === 'copy') {
            if (!saving) (copying ??= entries.copy()).next();
          } else if (step.do === 'begin' && !saving) {
            atBegin = new Map([...expected].map(([key, host]) => [key, { ...host }]));
            while (releasing?.next().done === false);
            saving = entries.freeze();
            copying = undefined;
          } else if (step.do === 'fail') {
            saving?.failed();
            saving = undefined;
          } else if (step.do === 'succeed' && saving) {
            await state.save([...saving.changes], saving.saved);
            releasing = saving.release?.()[Symbol.iterator]();
            saving = undefined;
            expectSaved();
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
      { examples: [[CHANGED_AFTER_COPY]] },
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
