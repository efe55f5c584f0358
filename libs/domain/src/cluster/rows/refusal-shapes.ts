import type { Guard } from '@muster/decision';
import { CLUSTER_COMMANDS, type ClusterCommandType } from '../cluster-commands';
import type { ClusterRefusal, ClusterVariables } from '../cluster-row';
import type { ClusterPhase, ClusterStatus } from '../cluster-status';
import { exceptStatuses } from './phases';

/** Refused everywhere but in `allowed`; `special` statuses have rows of their own. */
export const outside = (
  allowed: readonly ClusterStatus[],
  id: string,
  on: ClusterCommandType,
  reason: string,
  more: { readonly when?: Guard<ClusterVariables>; readonly special?: readonly ClusterStatus[] } = {},
): ClusterRefusal => ({
  id,
  from: exceptStatuses(...allowed, ...(more.special ?? [])),
  on,
  when: more.when,
  to: 'stay',
  code: 'not-allowed-in-state',
  reason,
  subject: 'status',
  allowed,
  why: 'The status has no way to do this.',
});

/** The contract answers these with 400 instead of 409. */
export const asInvalid = (refusal: ClusterRefusal): ClusterRefusal => ({ ...refusal, code: 'invalid-input' });

/** All commands that need a cluster, refused where there is none; `special` ones have rows of their own. */
export const missing = (
  phase: ClusterPhase,
  reason: string,
  special: readonly ClusterCommandType[] = [],
): readonly ClusterRefusal[] =>
  CLUSTER_COMMANDS.filter((on) => on !== 'Register' && !special.includes(on)).map((on) => ({
    id: `${phase}-has-no-${on}`,
    from: [phase],
    on,
    to: 'stay',
    code: 'not-found',
    reason,
    subject: 'cluster_id',
    allowed: [],
    why: 'There is nothing to act on.',
  }));

/** In `error` because of hosts nothing more is expected from the new cluster; after a deadline it is. */
export function afterFailure(id: string, on: ClusterCommandType, allowed: readonly ClusterStatus[]): ClusterRefusal {
  return {
    id,
    from: ['error'],
    on,
    when: { lateness: ['none'] },
    to: 'stay',
    code: 'invalid-input',
    reason: 'The installation failed because of its hosts: reset the cluster and install it again.',
    subject: 'status',
    allowed,
    why: 'Only a reset leads on.',
  };
}

export function hostsRefuse(
  id: string,
  on: ClusterCommandType,
  from: readonly ClusterStatus[],
  participle: string,
): ClusterRefusal {
  return {
    id,
    from,
    on,
    when: { hostsRefuse: [true] },
    to: 'stay',
    code: 'host-refuses',
    reason: `The installation was not ${participle}, because these hosts do not allow it now: {refusingHosts}.`,
    subject: 'hosts',
    allowed: [],
    why: 'Cluster and hosts move together or not at all.',
  };
}
