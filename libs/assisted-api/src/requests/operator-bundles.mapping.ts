import type { OperatorBundleList, Plain } from '@muster/contracts';
import type { BundleRequest } from './platform.request';

/** Bundles as the services take them; undefined when the request says nothing of bundles. */
export function toOperatorBundles(
  bundles: readonly BundleRequest[] | undefined,
): Plain<OperatorBundleList> | undefined {
  return (
    bundles && {
      items: bundles.map(({ id, optional_operators: optional }) => ({
        id,
        optionalOperators: optional && { items: [...optional] },
      })),
    }
  );
}
