import fc from 'fast-check';
import { OPERATOR_NAMES, OPERATORS } from './operators.table';
import { type OperatorCluster, type OperatorHost, shapeOf } from './plugin/operator-facts';
import type { OperatorPlugin } from './plugin/operator-plugin';
import { cluster, disks, host } from './plugin/sample-subjects.fixture.spec';
import { withDependencies } from './selection/choose-operators';
import { operatorManifests } from './selection/operator-manifests';
import { resourcesOfOperators, storedGbOf } from './selection/operator-resources';

const PLUGINS: readonly OperatorPlugin[] = OPERATORS;
const anyRole = fc.constantFrom('auto-assign', 'master', 'arbiter', 'worker', 'toString', '');
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, Number.MAX_VALUE));
const anyHost: fc.Arbitrary<OperatorHost> = fc.record({
  role: anyRole,
  effectiveRole: anyRole,
  installationDiskId: fc.constantFrom('', '/dev/sda', 'x'),
  hardware: fc.option(
    fc
      .record({
        cpuCount: anyNumber,
        usableMemoryBytes: anyNumber,
        cpuArchitecture: fc.constantFrom('x86_64', 'aarch64', '', '__proto__'),
        hasVirtualization: fc.boolean(),
        secureBootState: fc.constantFrom('Enabled', '', 'x'),
        gpus: fc.array(fc.record({ vendorId: fc.constantFrom('10de', '1002', ''), deviceId: fc.string() }), {
          maxLength: 2,
        }),
        sizes: fc.array(anyNumber, { maxLength: 4 }),
      })
      .map(({ sizes, ...changes }) => host('worker', { ...changes, disks: disks(...sizes) }).hardware),
    { nil: undefined },
  ),
});
const anyCluster: fc.Arbitrary<OperatorCluster> = fc
  .record({
    release: fc.option(fc.tuple(fc.nat(), fc.nat(30), fc.nat()), { nil: undefined }),
    cpuArchitecture: fc.string(),
    isSingleNode: fc.boolean(),
    hasSchedulableMasters: fc.boolean(),
    operators: fc.subarray([...OPERATOR_NAMES]),
    shape: fc.array(anyHost, { maxLength: 6 }).map(shapeOf),
  })
  .map((drawn) => ({ ...cluster(drawn), minStorageGb: storedGbOf(drawn.operators, drawn) }));

describe('operators for arbitrary facts', () => {
  it('have the same result each time with finite numbers, and never throw', () => {
    fc.assert(
      fc.property(fc.array(anyHost, { maxLength: 5 }), anyCluster, (subjects, of) => {
        for (const plugin of PLUGINS) {
          for (const subject of subjects) {
            expect(plugin.host?.claim(subject, of)).toEqual(plugin.host?.claim(structuredClone(subject), of));
            const { cpuCores, ramMib } = plugin.resources?.(subject, of) ?? { cpuCores: 0, ramMib: 0 };
            expect(cpuCores >= 0 && ramMib >= 0 && Number.isFinite(cpuCores + ramMib)).toBe(true);
          }
          const said = plugin.cluster?.claim(subjects, of);
          expect(said === undefined || said.status === 'success' || said.reason !== undefined).toBe(true);
        }
        operatorManifests(subjects, of);
      }),
    );
  });

  it('are selected with their dependencies in one order, independent of the order of the selection', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...OPERATOR_NAMES]), fc.boolean(), (chosen, isSingleNode) => {
        const resolved = withDependencies(chosen, { isSingleNode });
        expect(withDependencies(resolved, { isSingleNode })).toEqual(resolved);
        expect(withDependencies([...chosen].reverse(), { isSingleNode })).toEqual(resolved);
        expect(resolved).toEqual(expect.arrayContaining(chosen));
      }),
    );
  });

  it('add their resources to the requirements of a host', () => {
    const of = cluster({ operators: ['mce', 'mtv', 'cnv'] });
    expect(resourcesOfOperators(host('worker'), of)).toEqual({ cpuCores: 4 + 1 + 2, ramMib: 16_384 + 1_024 + 360 });
  });
});
