import type { Refusal } from '@muster/problems';
import type { HostCommand } from '../host/commands';
import type { HostState } from '../host/state';
import { HOST_PERMISSIONS, hostPermits } from '../permissions';

/** The result of one step as the agent sends it. */
export interface StepResult {
  readonly stepType: string;
  readonly output: string;
  readonly error: string;
  readonly exitCode: number;
}

type IsReport = (result: StepResult) => boolean;

const onSuccess: IsReport = ({ exitCode }) => exitCode === 0;
/** A failed run is also a result. */
const always: IsReport = () => true;
/** An empty success means that another run is in progress. */
const unlessInProgress: IsReport = ({ exitCode, output }) => exitCode !== 0 || output !== '';

/** Steps whose reply is a report about the host, with a condition for its replies. */
const REPORTS: ReadonlyMap<string, IsReport> = new Map([
  ['inventory', onSuccess],
  ['connectivity-check', onSuccess],
  ['free-network-addresses', onSuccess],
  ['ntp-synchronizer', onSuccess],
  ['domain-resolution', onSuccess],
  ['verify-vips', onSuccess],
  ['api-vip-connectivity-check', onSuccess],
  ['tang-connectivity-check', always],
  ['installation-disk-speed-check', unlessInProgress],
  ['container-image-availability', unlessInProgress],
]);

/** Returns whether the inventory service has to record the result. */
export const isReport = (result: StepResult): boolean => REPORTS.get(result.stepType)?.(result) ?? false;

/** Returns the reason why an inventory is not accepted from a host in this status, or undefined. */
export function inventoryRefusal({ status }: Pick<HostState, 'status'>): Refusal | undefined {
  if (hostPermits('report-inventory', status)) return undefined;
  return {
    code: 'not-allowed-in-state',
    reason: `The host is ${status}. An inventory is accepted in these statuses only: ${HOST_PERMISSIONS['report-inventory'].join(', ')}.`,
    subject: 'status',
    allowed: HOST_PERMISSIONS['report-inventory'],
  };
}

/** Exit code of a step that could not read the discovery media. */
const MEDIA_LOST_EXIT_CODE = 256;
/** Podman reports that the container name is in use: the installer already runs and was started a second time. */
const ALREADY_RUNNING = { exitCode: 125, text: 'the container name "assisted-installer" is already in use' };

/** Returns whether the installer was started while it already runs. Such a reply is ignored. */
export const isSecondStart = ({ stepType, exitCode, error }: StepResult): boolean =>
  stepType === 'install' && exitCode === ALREADY_RUNNING.exitCode && error.includes(ALREADY_RUNNING.text);

const REASON_CHARS_MAX = 1_000;
/** Matches the query too, so that a text without a query is read once. The error of a step has any length. */
const WHOLE_URL = /https?:\/\/[^\s"']+/g;

/** The query of a URL contains the token of an image. */
const withoutQuery = (url: string): string => url.split('?', 1).join('');

/** Returns the error of a step for the status and the events of the host, which every user with access to the host may read. */
export const shownError = (error: string, charactersMax = REASON_CHARS_MAX): string =>
  error.replace(WHOLE_URL, withoutQuery).slice(0, charactersMax).toWellFormed();

/** Returns the command that the result of a step causes for the status of the host. */
export function commandsOfReply(
  host: Pick<HostState, 'isMediaConnected'>,
  result: StepResult,
  at: string,
): readonly HostCommand[] {
  const { stepType, exitCode, error } = result;
  if (exitCode === MEDIA_LOST_EXIT_CODE) return [{ type: 'LoseMedia', at, duringStep: stepType }];
  const commands: HostCommand[] = [];
  if (exitCode === 0 && !host.isMediaConnected) commands.push({ type: 'RegainMedia', at });
  if (stepType === 'install' && exitCode !== 0 && !isSecondStart(result))
    commands.push({ type: 'ReportInstallFailure', at, reason: 'The installation command failed on the host' });
  if (stepType === 'download-boot-artifacts')
    commands.push(
      exitCode === 0 ? { type: 'RebootForReclaim', at } : { type: 'FailReclaim', at, reason: shownError(error) },
    );
  return commands;
}
