import { featureOfOperator } from '@muster/feature-support';
import { bundlesOf, OPERATORS } from '@muster/operators';
import { availableBundle } from './operators.controller';

describe('bundles and features', () => {
  it('mean the same by an operator', () => {
    expect(OPERATORS.map(({ name }) => featureOfOperator(name))).toEqual(OPERATORS.map(({ featureId }) => featureId));
  });

  it('leave out of a bundle what may be left out and cannot be had', () => {
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
