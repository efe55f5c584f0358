import type { ClusterSettings, Plain } from '@muster/contracts';
import { operator } from './cluster.fixture.spec';
import { decideOperators, hasConsole, isSingleNodeRequested, withBuiltInOperators } from './operators';
import { CLUSTER_KINDS } from './state';

type Settings = Plain<ClusterSettings>;

const NEW: Settings = { openshiftVersion: '4.18.3' };
const omits = (omitsConsole: boolean): Settings => ({
  installConfigOverrides: { document: { digest: 'one', bytes: 2 }, omitsConsole, isFips: false },
});

describe('the operators that an installation waits for', () => {
  const names = (kind: (typeof CLUSTER_KINDS)[number], settings: Settings, monitorsClusterVersion: boolean) =>
    withBuiltInOperators(kind, settings, [operator('lso', 'olm')], monitorsClusterVersion).map(({ name }) => name);

  it('are the console, the cluster version when it is monitored, and the selected operators', () => {
    expect(names('Cluster', NEW, false)).toEqual(['console', 'lso']);
    expect(names('Cluster', NEW, true)).toEqual(['console', 'cvo', 'lso']);
    expect(names('Cluster', { ...NEW, ...omits(true) }, true)).toEqual(['cvo', 'lso']);
  });

  it.each(CLUSTER_KINDS.filter((kind) => kind !== 'Cluster'))('are none in a cluster of kind %s', (kind) => {
    expect(names(kind, NEW, true)).toEqual([]);
  });

  it('have the same limit when they are part of each release', () => {
    const found = withBuiltInOperators('Cluster', NEW, [], true);
    expect(found.map(({ operatorType, timeoutSeconds }) => [operatorType, timeoutSeconds])).toEqual([
      ['builtin', 3_600],
      ['builtin', 3_600],
    ]);
  });
});

describe('the console of a cluster', () => {
  it.each<readonly [string, Settings, boolean]>([
    ['overrides omit it', { ...NEW, ...omits(true) }, false],
    ['overrides keep it', { ...NEW, ...omits(false) }, true],
    ['there are no overrides', NEW, true],
    [
      'overrides omit it in the first version that can be without it',
      { openshiftVersion: '4.12.0', ...omits(true) },
      false,
    ],
    ['overrides omit it in a version that cannot be without it', { openshiftVersion: '4.11.9', ...omits(true) }, true],
    ['overrides omit it and the version is not known', omits(true), true],
  ])('is decided when %s', (_case, settings, isExpected) => {
    expect(hasConsole(settings)).toBe(isExpected);
  });
});

describe('a request for a single node', () => {
  it.each<readonly [Settings, boolean]>([
    [{ controlPlaneCount: 1 }, true],
    [{ highAvailabilityMode: 'None' }, true],
    [{ controlPlaneCount: 3, highAvailabilityMode: 'Full' }, false],
    [{}, false],
  ])('is found in %j: %s', (settings, isExpected) => {
    expect(isSingleNodeRequested(settings)).toBe(isExpected);
  });
});

describe('the selection of operators', () => {
  const cluster = { isSingleNode: false };
  const given = (...items: string[]): Settings => ({
    olmOperators: { items: items.map((name) => ({ name, properties: '', sourceBundles: [] })) },
  });

  it('contains the operators of the request and those of its bundles, with their bundles', () => {
    const bundles = { items: [{ id: 'virtualization', optionalOperators: { items: [] } }] };
    const decision = decideOperators(given('lso'), bundles, cluster);
    const choices = decision.kind === 'chosen' ? decision.choices.items : [];
    const sources = new Map(choices.map(({ name, sourceBundles }) => [name, sourceBundles]));
    expect(sources.get('lso')).toEqual([]);
    expect(sources.get('cnv')).toEqual(['virtualization']);
  });

  it('is empty for a request without operators', () => {
    expect(decideOperators({}, undefined, cluster)).toEqual({ kind: 'chosen', choices: { items: [] } });
  });

  it.each([
    ['an operator', given('no-such-operator'), undefined],
    ['a bundle', {}, { items: [{ id: 'no-such-operator', optionalOperators: { items: [] } }] }],
  ])('is refused with the known names when it contains %s that does not exist', (_case, settings, bundles) => {
    const decision = decideOperators(settings, bundles, cluster);
    expect(decision).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', reason: expect.stringContaining('no-such-operator') },
    });
    const { allowed = [] } = decision.kind === 'refused' ? decision.refusal : {};
    expect(allowed.length).toBeGreaterThan(1);
  });
});
