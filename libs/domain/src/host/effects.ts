import type { HostEvent } from '@muster/contracts';
import type { StatusReason } from '../status-reason';
import type { ContextOf, HostContext } from './guards';
import { hostReason, type HostReasonCode } from './messages';
import { type HostState, isDay2 } from './state';

/** Returns the event that ends the silence of a host whose agent sent a request. */
export function hostReturned({ state }: HostContext): readonly HostEvent[] {
  return state.isSilent ? [{ type: 'HostReturned', data: {} }] : [];
}

/** Returns the events of a host that leaves its cluster. None when it has left already. */
export function leaveCluster({ state }: HostContext): readonly HostEvent[] {
  return state.clusterId === '' ? [] : [{ type: 'HostUnbound', data: { clusterId: state.clusterId } }];
}

/** Returns the event that assigns the role. None when the host has it. */
export function roleAssigned(state: HostState, role: string): readonly HostEvent[] {
  if (role === state.role) return [];
  // The pool of a day-2 host changes with its role until a user sets the pool.
  const follows = isDay2(state) && !state.isPoolNameChosen && role !== 'auto-assign';
  const machineConfigPoolName = follows ? role : state.machineConfigPoolName;
  return [{ type: 'HostRoleAssigned', data: { role, machineConfigPoolName } }];
}

export function resumeClock({ command }: HostContext): readonly HostEvent[] {
  return [{ type: 'HostStageClockResumed', data: { at: command.at } }];
}

/** Returns the event that records the installer image. None when the service does not set it. */
export function installerChosen({
  command: { installerImage },
}: {
  readonly command: { readonly installerImage?: string };
}): readonly HostEvent[] {
  return installerImage ? [{ type: 'HostInstallerChosen', data: { installerImage } }] : [];
}

export function installationDiskText({ state }: HostContext): string {
  const { id, path } = state.installationDisk;
  return path && id && path !== id ? `${path} (${id})` : path || id;
}

/** Returns a reason with the ids of the failing validations and of the blocking validations without a result. */
export const blocked =
  (code: HostReasonCode) =>
  ({ command: { conditions } }: ContextOf<'Refresh'>): StatusReason =>
    hostReason(code, { failing: conditions?.failingIds ?? [], pending: conditions?.pendingIds ?? [] });
