import { OPERATORS, type OperatorName } from '../operators.table';
import { BUNDLE_KINDS, type BundleId, type BundleKind } from '../plugin/bundle-ids';
import type { OperatorCluster } from '../plugin/operator-facts';
import type { OperatorPlugin } from '../plugin/operator-plugin';

export interface Bundle extends BundleKind {
  readonly operators: readonly OperatorName[];
  readonly optionalOperators: readonly OperatorName[];
}

type ClusterKind = Pick<OperatorCluster, 'isSingleNode'>;

export const BUNDLE_IDS: readonly BundleId[] = BUNDLE_KINDS.map(({ id }) => id);

/** Made of what the plug-ins say they belong to. */
export function bundlesOf(cluster: ClusterKind): readonly Bundle[] {
  const members = (id: BundleId, isOptional: boolean): readonly OperatorName[] =>
    (OPERATORS as readonly OperatorPlugin<OperatorName>[])
      .filter((plugin) =>
        plugin.bundles(cluster).some((bundle) => bundle.id === id && (bundle.isOptional ?? false) === isOptional),
      )
      .map(({ name }) => name);
  return BUNDLE_KINDS.map((kind) => ({
    ...kind,
    operators: members(kind.id, false),
    optionalOperators: members(kind.id, true),
  }));
}

export const bundleNamed = (id: string, cluster: ClusterKind): Bundle | undefined =>
  bundlesOf(cluster).find((bundle) => bundle.id === id);
