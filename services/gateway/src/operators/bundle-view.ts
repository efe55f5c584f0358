import { Type } from '@sinclair/typebox';
import { type Static } from '@muster/assisted-api';
import { FEATURES, featureLevel, featureOfOperator, type SupportQuery } from '@muster/feature-support';
import type { Bundle } from '@muster/operators';

/** `bundle` of the contract. */
export const V2_BUNDLE = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    operators: Type.Array(Type.String()),
    optional_operators: Type.Array(Type.String()),
  },
  { title: 'bundle' },
);
export type V2Bundle = Static<typeof V2_BUNDLE>;

/** The feature that says: one node is all there is. */
export const SINGLE_NODE_FEATURE = 'SNO';

export const toV2Bundle = ({ id, title, description, operators, optionalOperators }: Bundle): V2Bundle => ({
  id,
  title,
  description,
  operators,
  optional_operators: optionalOperators,
});

/** What of a bundle can be had there; undefined when something that belongs to it cannot. */
export function availableBundle(bundle: Bundle, place: SupportQuery): Bundle | undefined {
  if (!bundle.operators.every((name) => isToBeHad(name, place))) return undefined;
  return { ...bundle, optionalOperators: bundle.optionalOperators.filter((name) => isToBeHad(name, place)) };
}

function isToBeHad(operator: string, place: SupportQuery): boolean {
  const id = featureOfOperator(operator);
  const feature = FEATURES.find((known) => known.id === id);
  if (!feature) return true;
  const { level } = featureLevel(feature, place);
  return level !== 'unavailable' && level !== 'unsupported';
}
