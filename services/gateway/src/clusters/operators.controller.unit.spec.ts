import { featureOfOperator } from '@muster/feature-support';
import { bundlesOf, OPERATORS } from '@muster/operators';
import { availableBundle } from './operators.controller';

describe('bundles of operators', () => {
  it('use the same operator names as the features', () => {
    expect(OPERATORS.map(({ name }) => featureOfOperator(name))).toEqual(OPERATORS.map(({ featureId }) => featureId));
  });

  it('omit optional operators that are not supported', () => {
    const [virtualization] = bundlesOf({ isSingleNode: false });
    if (!virtualization) throw new Error('There is no bundle.');
    const bundle = {
      ...virtualization,
      operators: ['mce' as const],
      optionalOperators: ['amd-gpu' as const, 'kmm' as const],
    };
    const optional = (architecture: string) =>
      availableBundle(bundle, { version: '4.18', architecture })?.optionalOperators;
    expect([optional('x86_64'), optional('arm64')]).toEqual([['amd-gpu', 'kmm'], ['kmm']]);
  });
});
