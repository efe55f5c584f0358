import { bundleNamed, chooseOperators, withDependencies } from './choose-operators';

const MANY = { isSingleNode: false };
const SINGLE = { isSingleNode: true };
const named = (...names: readonly string[]) => names.map((name) => ({ name, properties: '' }));

describe('selection of operators', () => {
  it('has current names, each once, and the last properties', () => {
    const single = [
      { name: 'ocs', properties: 'a' },
      { name: 'odf', properties: 'b' },
    ];
    expect(chooseOperators(single, [], MANY)).toEqual({
      kind: 'chosen',
      operators: [{ name: 'odf', properties: 'b', sourceBundles: [] }],
    });
  });

  it('translates the old name numa-resources to numaresources', () => {
    expect(chooseOperators(named('numa-resources'), [], MANY)).toMatchObject({
      operators: [{ name: 'numaresources' }],
    });
    expect(withDependencies(['numa-resources'], MANY)).toEqual(['numaresources']);
  });

  it('is refused with the unknown and the known names', () => {
    expect(chooseOperators(named('lso', 'toString'), [], MANY)).toMatchObject({
      kind: 'refused',
      subject: 'olm_operators',
      reason: 'Unknown operators: toString.',
      allowed: expect.arrayContaining(['lso']),
    });
    expect(chooseOperators([], [{ id: 'nonsense', optionalOperators: undefined }], MANY)).toMatchObject({
      kind: 'refused',
      subject: 'operator_bundles',
      allowed: ['virtualization', 'openshift-ai'],
    });
  });

  it('selects all operators of a bundle, or the given optional ones', () => {
    const names = (optionalOperators: readonly string[] | undefined) => {
      const chosen = chooseOperators([], [{ id: 'openshift-ai', optionalOperators }], MANY);
      return chosen.kind === 'chosen' ? chosen.operators.map(({ name }) => name) : chosen.reason;
    };
    expect(names(undefined)).toEqual(expect.arrayContaining(['openshift-ai', 'odf', 'nvidia-gpu', 'amd-gpu']));
    expect(names(['nvidia-gpu'])).toEqual(expect.arrayContaining(['openshift-ai', 'nvidia-gpu']));
    expect(names(['nvidia-gpu'])).not.toContain('amd-gpu');
    expect(names(['cnv'])).toMatch(/does not have these optional operators: cnv/);
  });

  it('records the bundle of an operator that was also selected alone', () => {
    const chosen = chooseOperators(
      [{ name: 'cnv', properties: 'p' }],
      [{ id: 'virtualization', optionalOperators: undefined }],
      MANY,
    );
    expect(chosen).toMatchObject({
      operators: expect.arrayContaining([
        { name: 'cnv', properties: 'p', sourceBundles: ['virtualization'] },
        { name: 'mtv', properties: '', sourceBundles: ['virtualization'] },
      ]),
    });
  });

  it('omits operators on a single node that it does not support', () => {
    expect(bundleNamed('virtualization', SINGLE)?.operators).not.toContain('self-node-remediation');
    expect(bundleNamed('openshift-ai', SINGLE)?.operators).toContain('lvm');
  });

  it.each([
    [['odf'], MANY, ['lso', 'odf']],
    [['mtv'], MANY, ['cnv', 'mtv']],
    [['amd-gpu'], MANY, ['node-feature-discovery', 'amd-gpu', 'kmm']],
    [['cluster-observability'], MANY, ['cluster-observability', 'loki', 'openshift-logging']],
    [['fence-agents-remediation'], MANY, ['node-healthcheck', 'fence-agents-remediation']],
    [['openshift-ai'], SINGLE, ['lvm', 'openshift-ai']],
    [['unheard-of'], MANY, []],
  ])('%j selects the dependencies %j %j', (chosen, kind, all) => {
    expect(withDependencies(chosen, kind)).toEqual(all);
  });
});
