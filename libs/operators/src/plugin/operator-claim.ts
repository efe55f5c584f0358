/** What an operator says of a host or a cluster, in the shape that the rules answer in. */
export type OperatorClaim =
  | {
      readonly status: 'success' | 'failure';
      readonly measured: string;
      readonly required: string;
      readonly because?: string;
    }
  | { readonly status: 'pending'; readonly because: string };

export const meets = (measured = '', required = ''): OperatorClaim => ({ status: 'success', measured, required });
export const lacks = (because: string, measured = '', required = ''): OperatorClaim => ({
  status: 'failure',
  measured,
  required,
  because,
});
export const awaits = (because: string): OperatorClaim => ({ status: 'pending', because });
export const AWAITS_INVENTORY = awaits('Waiting for the host to report its hardware');

/** The first that is no success, else success. */
export function firstFault(...claims: readonly (() => OperatorClaim)[]): OperatorClaim {
  for (const claim of claims) {
    const made = claim();
    if (made.status !== 'success') return made;
  }
  return meets();
}
