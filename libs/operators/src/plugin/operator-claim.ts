import type { OPERATOR_MESSAGES } from './operator-messages.table';

export type OperatorReason = keyof typeof OPERATOR_MESSAGES;

/** The result of an operator's check of a host or cluster. Without a reason, its requirements are met. */
export interface OperatorClaim {
  readonly status: 'success' | 'failure' | 'pending';
  readonly reason?: OperatorReason;
  /** The values in the message of the reason. */
  readonly parameters?: readonly (string | number)[];
}

export const meets = (): OperatorClaim => ({ status: 'success' });
export const lacks = (reason: OperatorReason, ...parameters: readonly (string | number)[]): OperatorClaim => ({
  status: 'failure',
  reason,
  parameters,
});
export const awaits = (reason: OperatorReason): OperatorClaim => ({ status: 'pending', reason });
export const AWAITS_INVENTORY = awaits('awaits-inventory');

/** Returns the first claim that is no success, else success. */
export function firstFault(...claims: readonly (() => OperatorClaim)[]): OperatorClaim {
  for (const claim of claims) {
    const made = claim();
    if (made.status !== 'success') return made;
  }
  return meets();
}
