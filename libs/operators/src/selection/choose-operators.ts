import { OPERATOR_NAMES } from '../operators.table';
import type { OperatorCluster } from '../plugin/operator-facts';
import { BUNDLE_IDS, bundleNamed } from './bundles';
import { presentName, unknownOperators } from './resolve-operators';

export interface ChosenOperator {
  readonly name: string;
  /** Text as the user set it; empty without a value. */
  readonly properties: string;
  /** Ids of the bundles it was chosen through. */
  readonly sourceBundles: readonly string[];
}

export interface ChosenBundle {
  readonly id: string;
  /** Undefined: all of them. */
  readonly optionalOperators: readonly string[] | undefined;
}

export type OperatorChoices =
  | { readonly kind: 'chosen'; readonly operators: readonly ChosenOperator[] }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly subject: 'olm_operators' | 'operator_bundles';
      readonly allowed: readonly string[];
    };

type ClusterKind = Pick<OperatorCluster, 'isSingleNode'>;

/** The selected operators, single and from bundles, each once and with its current name. */
export function chooseOperators(
  single: readonly { readonly name: string; readonly properties: string }[],
  bundles: readonly ChosenBundle[],
  cluster: ClusterKind,
): OperatorChoices {
  const unknown = unknownOperators(single.map(({ name }) => name));
  if (unknown.length > 0) return refused('olm_operators', `No operator is called ${listed(unknown)}.`, OPERATOR_NAMES);
  const chosen = new Map<string, ChosenOperator>();
  for (const { name, properties } of single)
    chosen.set(presentName(name), { name: presentName(name), properties, sourceBundles: [] });
  for (const { id, optionalOperators } of bundles) {
    const bundle = bundleNamed(id, cluster);
    if (!bundle) return refused('operator_bundles', `No bundle is called ${id}.`, BUNDLE_IDS);
    const wanted = optionalOperators?.map(presentName) ?? bundle.optionalOperators;
    const foreign = wanted.filter((name) => !bundle.optionalOperators.some((known) => known === name));
    if (foreign.length > 0)
      return refused(
        'operator_bundles',
        `Bundle ${id} has no optional operator called ${listed(foreign)}.`,
        bundle.optionalOperators,
      );
    for (const name of [...bundle.operators, ...wanted]) {
      const known = chosen.get(name) ?? { name, properties: '', sourceBundles: [] };
      if (!known.sourceBundles.includes(id))
        chosen.set(name, { ...known, sourceBundles: [...known.sourceBundles, id] });
    }
  }
  return { kind: 'chosen', operators: [...chosen.values()] };
}

const listed = (names: readonly string[]): string => names.join(', ').slice(0, 200);
const refused = (
  subject: 'olm_operators' | 'operator_bundles',
  reason: string,
  allowed: readonly string[],
): OperatorChoices => ({ kind: 'refused', reason, subject, allowed });
