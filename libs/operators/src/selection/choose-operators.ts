import { OPERATOR_NAMES, type OperatorName, operatorNamed, OPERATOR_PLUGINS } from '../operators.table';
import { BUNDLE_KINDS, type BundleId, type BundleKind } from '../plugin/operator-plugin';
import type { OperatorCluster } from '../plugin/operator-facts';

type ClusterKind = Pick<OperatorCluster, 'isSingleNode'>;

/**
 * Returns the operators of a selection: current names, with dependencies, each once, in the order of the table. Unknown
 * names are omitted.
 */
export function withDependencies(chosen: readonly string[], cluster: ClusterKind): readonly OperatorName[] {
  const found = new Set<OperatorName>();
  const open = [...chosen];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const plugin = operatorNamed(name);
    if (!plugin || found.has(plugin.name)) continue;
    found.add(plugin.name);
    open.push(...plugin.dependencies(cluster));
  }
  return OPERATOR_PLUGINS.map(({ name }) => name).filter((name) => found.has(name));
}

/** Returns the names of a selection that no operator has. */
export const unknownOperators = (chosen: readonly string[]): readonly string[] =>
  chosen.filter((name) => !operatorNamed(name));

/** Returns the current name of an operator. */
export const presentName = (name: string): string => operatorNamed(name)?.name ?? name;

export interface Bundle extends BundleKind {
  readonly operators: readonly OperatorName[];
  readonly optionalOperators: readonly OperatorName[];
}

export const BUNDLE_IDS: readonly BundleId[] = BUNDLE_KINDS.map(({ id }) => id);

/** Created from the bundle ids of the plug-ins. */
export function bundlesOf(cluster: ClusterKind): readonly Bundle[] {
  const members = (id: BundleId, isOptional: boolean): readonly OperatorName[] =>
    OPERATOR_PLUGINS.filter((plugin) =>
      plugin.bundles(cluster).some((bundle) => bundle.id === id && (bundle.isOptional ?? false) === isOptional),
    ).map(({ name }) => name);
  return BUNDLE_KINDS.map((kind) => ({
    ...kind,
    operators: members(kind.id, false),
    optionalOperators: members(kind.id, true),
  }));
}

export const bundleNamed = (id: string, cluster: ClusterKind): Bundle | undefined =>
  bundlesOf(cluster).find((bundle) => bundle.id === id);

export interface ChosenOperator {
  readonly name: string;
  /** Text as the user set it. Empty without a value. */
  readonly properties: string;
  /** Ids of the bundles through which it was selected. */
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

/** Returns the selected operators, single and from bundles, each once and with its current name. */
export function chooseOperators(
  single: readonly { readonly name: string; readonly properties: string }[],
  bundles: readonly ChosenBundle[],
  cluster: ClusterKind,
): OperatorChoices {
  const unknown = unknownOperators(single.map(({ name }) => name));
  if (unknown.length > 0) return refused('olm_operators', `Unknown operators: ${listed(unknown)}.`, OPERATOR_NAMES);
  const chosen = new Map<string, ChosenOperator>();
  for (const { name, properties } of single)
    chosen.set(presentName(name), { name: presentName(name), properties, sourceBundles: [] });
  for (const { id, optionalOperators } of bundles) {
    const bundle = bundleNamed(id, cluster);
    if (!bundle) return refused('operator_bundles', `Bundle ${id} does not exist.`, BUNDLE_IDS);
    const wanted = optionalOperators?.map(presentName) ?? bundle.optionalOperators;
    const foreign = wanted.filter((name) => !bundle.optionalOperators.some((known) => known === name));
    if (foreign.length > 0)
      return refused(
        'operator_bundles',
        `Bundle ${id} does not have these optional operators: ${listed(foreign)}.`,
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
