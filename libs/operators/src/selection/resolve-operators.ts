import { OPERATORS, type OperatorName, operatorNamed } from '../operators.table';
import type { OperatorCluster } from '../plugin/operator-facts';

type ClusterKind = Pick<OperatorCluster, 'isSingleNode'>;

/**
 * The operators that a choice comes to: former names replaced, dependencies added, each once, in the order of the table.
 * Unknown names are omitted.
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
  return OPERATORS.map(({ name }) => name).filter((name) => found.has(name));
}

/** Names of a choice that no operator has. */
export const unknownOperators = (chosen: readonly string[]): readonly string[] =>
  chosen.filter((name) => !operatorNamed(name));

/** The name that an operator goes by now. */
export const presentName = (name: string): string => operatorNamed(name)?.name ?? name;
