import type { HostRole } from '../host/status';
import { effectiveRoleOf } from './host-summary';

export interface BootstrapCandidate {
  readonly hostId: string;
  readonly status: string;
  readonly role: HostRole;
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
}

const MAY_BOOTSTRAP: ReadonlySet<string> = new Set(['known', 'preparing-for-installation']);

/** The host that is it already, else the last control plane host (in the order given) that is ready. Empty: there is none. */
export function chooseBootstrap(hosts: readonly BootstrapCandidate[]): string {
  const chosen =
    hosts.find(({ isBootstrap }) => isBootstrap) ??
    hosts.findLast((host) => effectiveRoleOf(host) === 'master' && MAY_BOOTSTRAP.has(host.status));
  return chosen?.hostId ?? '';
}
