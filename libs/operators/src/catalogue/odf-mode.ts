import type { ClusterShape, OperatorHost } from '../plugin/operator-facts';

/** compact: it runs on the control plane. standard: on workers. undefined: hosts are too few for either. */
export type OdfMode = 'compact' | 'standard' | undefined;

export const STORAGE_HOSTS_MIN = 3;
const ARBITED_MASTERS_MIN = 2;

/** By the roles that the user set. */
export function odfModeOf({ masters, arbiters, workers, unassigned }: ClusterShape): OdfMode {
  const isCompact =
    workers === 0 &&
    (masters + unassigned === STORAGE_HOSTS_MIN || (unassigned === 0 && masters + arbiters >= STORAGE_HOSTS_MIN));
  if (isCompact) return 'compact';
  const hasControlPlane = masters >= STORAGE_HOSTS_MIN || (masters >= ARBITED_MASTERS_MIN && arbiters > 0);
  return hasControlPlane && workers >= STORAGE_HOSTS_MIN ? 'standard' : undefined;
}

export function runsOdf({ effectiveRole }: Pick<OperatorHost, 'effectiveRole'>, mode: OdfMode): boolean {
  switch (mode) {
    case 'compact':
      return effectiveRole !== 'worker';
    case 'standard':
      return effectiveRole === 'worker';
    case undefined:
      return false;
    default:
      return mode satisfies never;
  }
}
