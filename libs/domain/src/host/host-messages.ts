import { MAX_STATUS_INFO_BYTES, truncateUtf8 } from './status-info';

const LIST_SEPARATOR = ' ; ';

/** `status_info` of a host: what consoles show. Close in meaning to what people know from today's service. */
export const HOST_MESSAGES = {
  awaitingHardware: 'Waiting for the host to send its hardware details',
  ready: 'Host is ready to be installed',
  readyToBind: 'Host is ready to be bound to a cluster',
  selected: 'Host is being prepared for installation',
  prepared: 'Host finished preparing for installation',
  installing: 'Installation is in progress',
  installed: 'Done',
  silent: 'Host stopped communicating with the installation service',
  silentWhilePreparing: 'Host failed to prepare: it stopped communicating during the preparation phase',
  silentWhileInstalling: 'Host failed to install: it stopped communicating during the installation phase',
  silenceNoted: 'Host has not been heard of for too long during the installation; the installation goes on',
  silenceEnded: 'Host is communicating again; the installation goes on',
  mediaLost:
    'The discovery media cannot be read. Make sure that the virtual media is still attached and its server reachable, then boot the host from it again',
  restarted: 'The host restarted unexpectedly during the installation',
  clusterFailed: 'Host is part of a cluster that failed to install',
  clusterRecovered: 'The installation of the cluster goes on',
  installingTimedOut: 'Host failed to install: the installation did not start in time',
  bootTimedOut: 'Host failed to boot from its installation disk in time',
  resetting: 'Host has to be booted into the discovery image to complete the reset of its installation',
  unbinding: 'Host is waiting to be unbound from its cluster',
  binding: 'Host is waiting to be bound to its cluster',
  reclaiming: 'Host is rebooting into the discovery image',
  day2Rebooted:
    'Host has rebooted; nothing more will be reported here. Follow it in the console of its cluster and approve pending certificate requests there if needed',
} as const;

const list = (messages: readonly string[] | undefined): string => (messages ?? []).join(LIST_SEPARATOR);

export const insufficientText = (messages: readonly string[] | undefined): string =>
  `Host cannot be installed; failing validation(s): ${list(messages)}`;

export const weakHardwareText = (messages: readonly string[] | undefined): string =>
  `Host does not meet the minimum hardware requirements: ${list(messages)}`;

export const inputMissingText = (messages: readonly string[] | undefined): string =>
  `Waiting for user input: ${list(messages)}`;

export const preparationFailedText = (messages: readonly string[] | undefined): string =>
  `Host failed to prepare for installation; failing validation(s): ${list(messages)}`;

export const preparationTimedOutText = (messages: readonly string[] | undefined): string =>
  `Host did not finish preparing for installation in time; missing: ${list(messages)}`;

export const stageTimedOutText = (stage: string, ms: number): string =>
  `Host failed to install: stage ${stage} took longer than the ${durationText(ms)} it may take`;

export const stageStalledText = (stage: string, ms: number): string =>
  `Host failed to install: stage ${stage} made no progress in the last ${durationText(ms)}`;

export const stageOverdueText = (stage: string, ms: number): string =>
  `Stage ${stage} takes longer than the expected ${durationText(ms)}; the installation goes on`;

export const stageSlowText = (stage: string, ms: number): string =>
  `Stage ${stage} made no progress in the last ${durationText(ms)}; the installation goes on`;

export const bootFromDiskText = (disk: string): string =>
  `Host booted from the discovery image although the image was written. Fix the boot order so that it boots from its installation disk${disk ? ` ${disk}` : ''}`;

export const pullTimedOutText = (disk: string): string =>
  `Host did not pull its configuration in time. Make sure that it boots from its installation disk${disk ? ` ${disk}` : ''} and can reach the cluster's network`;

export const failedText = (progressInfo: string): string => (progressInfo ? `Failed - ${progressInfo}` : 'Failed');

/** Keeps what was said before, once. */
export function mediaFailureText(before: string): string {
  if (before.includes(HOST_MESSAGES.mediaLost)) return before;
  return `Failed - ${HOST_MESSAGES.mediaLost}${before ? `. ${before}` : ''}`;
}

/** As the service of today prints durations: 30m0s, 1h0m0s. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

export const limitStatusInfo = (text: string): string => truncateUtf8(text, MAX_STATUS_INFO_BYTES);
