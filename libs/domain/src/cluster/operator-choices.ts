import type { ClusterSettings, OperatorBundleList, Plain } from '@muster/contracts';
import { chooseOperators } from '@muster/operators';
import type { Refusal } from '@muster/problems';

type Settings = Plain<ClusterSettings>;

export type OperatorDecision =
  | { readonly kind: 'chosen'; readonly choices: NonNullable<Settings['olmOperators']> }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A single node by its count or by the older word for it. */
export const asksForSingleNode = ({ controlPlaneCount, highAvailabilityMode }: Settings): boolean =>
  controlPlaneCount === 1 || highAvailabilityMode === 'None';

/** The operators that a person chose, one by one and in bundles, as they are stored; refused when a name is unknown. */
export function decideOperators(
  given: Settings,
  bundles: Plain<OperatorBundleList> | undefined,
  cluster: { readonly isSingleNode: boolean },
): OperatorDecision {
  const chosen = chooseOperators(
    given.olmOperators?.items ?? [],
    (bundles?.items ?? []).map(({ id, optionalOperators }) => ({ id, optionalOperators: optionalOperators?.items })),
    cluster,
  );
  if (chosen.kind === 'refused') {
    const { reason, subject, allowed } = chosen;
    return { kind: 'refused', refusal: { code: 'invalid-input', reason, subject, allowed } };
  }
  const items = chosen.operators.map((choice) => ({ ...choice, sourceBundles: [...choice.sourceBundles] }));
  return { kind: 'chosen', choices: { items } };
}
