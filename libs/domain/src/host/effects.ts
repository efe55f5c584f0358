import type { HostEvent } from '@muster/contracts';
import type { StatusReason } from '../status-reason';
import type { ContextOf, HostContext } from './guards';
import { hostReason, type HostReasonCode } from './messages';

/** The agent speaks: if it was thought silent, it has returned. */
export function signOfLife({ state }: HostContext): readonly HostEvent[] {
  return state.isSilent ? [{ type: 'HostReturned', data: {} }] : [];
}

/** Facts that make a host leave its cluster; none when it has left already. */
export function leaveCluster({ state }: HostContext): readonly HostEvent[] {
  return state.clusterId === '' ? [] : [{ type: 'HostUnbound', data: { clusterId: state.clusterId } }];
}

export function resumeClock({ command }: HostContext): readonly HostEvent[] {
  return [{ type: 'HostStageClockResumed', data: { at: command.at } }];
}

/** What the installer is started from; nothing when the service does not say. */
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

/** Returns a reason that names the validations that fail, and those that block without a result. */
export const blocked =
  (code: HostReasonCode) =>
  ({ command: { conditions } }: ContextOf<'Refresh'>): StatusReason =>
    hostReason(code, { failing: conditions?.failingIds ?? [], pending: conditions?.pendingIds ?? [] });
