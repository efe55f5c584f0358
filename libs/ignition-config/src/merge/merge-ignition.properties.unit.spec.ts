import fc from 'fast-check';
import type { IgnitionConfig } from '../config/ignition-config';
import { parseIgnitionOverride } from './ignition-override';
import { mergeIgnition } from './merge-ignition';

const paths = fc.constantFrom('/a', '/b', '/c', '/d/e');
const words = fc.constantFrom('x', 'y', 'z');
const listOf = <Entry>(entry: fc.Arbitrary<Entry>, key: (entry: Entry) => string) =>
  fc.uniqueArray(entry, { selector: key, maxLength: 4 });

/** Valid configs: no path occurs twice. */
const configs: fc.Arbitrary<IgnitionConfig> = fc
  .record({
    nodes: fc.uniqueArray(
      fc.record({ path: paths, kind: fc.constantFrom('files', 'directories', 'links'), mode: fc.nat(0o777) }),
      { selector: ({ path }) => path, maxLength: 4 },
    ),
    units: listOf(
      fc.record({ name: words.map((word) => `${word}.service`), enabled: fc.boolean() }),
      ({ name }) => name,
    ),
    users: listOf(
      fc.record({ name: words, sshAuthorizedKeys: fc.uniqueArray(words, { maxLength: 3 }) }),
      ({ name }) => name,
    ),
    wanted: fc.uniqueArray(words, { maxLength: 3 }),
  })
  .map(({ nodes, units, users, wanted }) => {
    const of = (kind: string) => nodes.filter((node) => node.kind === kind);
    return {
      ignition: { version: '3.4.0' },
      storage: {
        files: of('files').map(({ path, mode }) => ({ path, mode })),
        directories: of('directories').map(({ path, mode }) => ({ path, mode })),
        links: of('links').map(({ path }) => ({ path, target: '/x' })),
      },
      systemd: { units },
      passwd: { users },
      kernelArguments: { shouldExist: wanted },
    } as IgnitionConfig;
  });

describe('merge of any two configs', () => {
  it('results in a valid config', () => {
    fc.assert(
      fc.property(configs, configs, (parent, child) => {
        const merged = mergeIgnition(parent, child);
        expect(parseIgnitionOverride(JSON.stringify(merged), 'merged')).toMatchObject({ kind: 'parsed' });
      }),
    );
  });

  it('contains everything that the child sets', () => {
    fc.assert(
      fc.property(configs, configs, (parent, child) => {
        const merged = mergeIgnition(parent, child);
        expect(mergeIgnition(merged, child)).toEqual(merged);
        for (const file of child.storage?.files ?? [])
          expect(merged.storage?.files).toContainEqual(expect.objectContaining(file));
      }),
    );
  });

  it('is associative', () => {
    fc.assert(
      fc.property(configs, configs, configs, (a, b, c) => {
        const paths = (config: IgnitionConfig) =>
          Object.values(config.storage ?? {})
            .flat()
            .map(({ path }: { path: string }) => path)
            .sort();
        const [left, right] = [mergeIgnition(mergeIgnition(a, b), c), mergeIgnition(a, mergeIgnition(b, c))];
        expect(left.systemd?.units?.map(({ name }) => name).sort()).toEqual(
          right.systemd?.units?.map(({ name }) => name).sort(),
        );
        expect(paths(left)).toEqual(paths(right));
      }),
    );
  });
});
