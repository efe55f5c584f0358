import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { stageTimeoutMs } from '../deadlines';
import { installationDiskText, resumeClock } from '../effects';
import type { ContextOf, HostGuardValues, HostVariables, RowOn } from '../guards';
import { readProgress } from '../input';
import { durationText, hostReason, type HostReasonCode } from '../messages';
import { INSTALLING, statusesExcept } from '../state';
import { CLUSTER_NOT_FAILED } from './installation.rows';

type RefreshContext = ContextOf<'Refresh'>;

const MINUTE_MS = 60_000;
/** Guards of rows that apply when only the stage has to be decided. */
const settled = (when: Guard<HostVariables>): Guard<HostVariables> => ({
  cluster: CLUSTER_NOT_FAILED,
  presence: ['kept', 'recorded'],
  ...when,
});
const timedOut = (
  stage: readonly HostGuardValues['stage'][],
  timeouts: readonly HostGuardValues['timeouts'][],
): Guard<HostVariables> => settled({ stageTimer: ['running'], stageDeadline: ['passed'], stage, timeouts });

const overdue =
  (code: HostReasonCode) =>
  ({ state, settings }: RefreshContext): StatusReason =>
    hostReason(code, {
      parameters: { stage: state.progress.stage, duration: durationText(stageTimeoutMs(state, settings)) },
    });

const recordTimeout = ({ state, settings }: RefreshContext): readonly HostEvent[] => [
  {
    type: 'HostStageTimedOut',
    data: { stage: state.progress.stage, minutes: Math.round(stageTimeoutMs(state, settings) / MINUTE_MS) },
  },
];

/** Rows for the timer of the current stage of a host in `installing-in-progress`. */
export const STAGE_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'stage-timer-paused',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ stageTimer: ['pause-due'] }),
    to: 'stay',
    why: 'This stage waits for other hosts, and one of them waits for a user action.',
    emit: () => [{ type: 'HostStageClockPaused', data: {} }],
  },
  {
    id: 'stage-timer-stays-paused',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ stageTimer: ['paused'] }),
    to: 'stay',
    why: 'The user action is still required.',
  },
  {
    id: 'stage-timer-resumed',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ stageTimer: ['resume-due'] }),
    to: 'stay',
    why: 'No host waits for a user action any more. The time limit of the stage starts again.',
    emit: resumeClock,
  },
  {
    id: 'stage-goes-on',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ stageTimer: ['running'], stageDeadline: ['pending', 'recorded'] }),
    to: 'stay',
    why: 'The stage is within its time limit, or the warning was already recorded.',
  },
  {
    id: 'reboot-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['rebooting'], ['hard', 'soft']),
    to: 'installing-pending-user-action',
    why: 'A machine that does not download its configuration has probably not booted from its disk.',
    status: (context) => hostReason('pull-timed-out', { parameters: { disk: installationDiskText(context) } }),
  },
  {
    id: 'stage-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'The stage exceeded its time limit.',
    status: overdue('stage-timed-out'),
  },
  {
    id: 'stage-stalled',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'The writer reports its progress. The time without a report exceeded the limit.',
    status: overdue('stage-stalled'),
  },
  {
    id: 'stage-overdue',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['soft']),
    to: 'stay',
    why: 'With soft timeouts, the host gets one warning and continues.',
    status: overdue('stage-overdue'),
    emit: recordTimeout,
  },
  {
    id: 'stage-slow',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['soft']),
    to: 'stay',
    why: 'With soft timeouts, the host gets one warning and continues.',
    status: overdue('stage-slow'),
    emit: recordTimeout,
  },
];

type ProgressContext = ContextOf<'ReportProgress'>;
type ProgressRow = RowOn<'ReportProgress'>;

function progressed({ state, command }: ProgressContext): readonly HostEvent[] {
  const { stage, percentage } = readProgress(state, command);
  return [
    {
      type: 'HostProgressed',
      data: {
        stage,
        progressInfo: command.info,
        installationPercentage: percentage,
        stageChanged: stage !== state.progress.stage,
        at: command.at,
        singleNode: command.controlPlaneCount === 1,
      },
    },
  ];
}

const stageName = ({ command: { stage } }: ProgressContext): StatusReason =>
  hostReason('stage', { parameters: { stage } });
const added = (context: ProgressContext): StatusReason =>
  context.command.isKubeApi ? stageName(context) : hostReason('day2-rebooted');
const installed = (): StatusReason => hostReason('installed');

/** Rows for stages that the installer and the controller report. */
export const PROGRESS_ROWS: readonly ProgressRow[] = [
  {
    id: 'progress-repeated',
    from: statusesExcept([]),
    on: 'ReportProgress',
    when: { bound: [true], progress: ['repeat'] },
    to: 'stay',
    why: 'The report is a repetition.',
  },
  {
    id: 'progress-in-other-words',
    from: statusesExcept([]),
    on: 'ReportProgress',
    when: { bound: [true], progress: ['information'] },
    to: 'stay',
    why: 'The stage has not changed. Its timer restarts because the stage makes progress.',
    emit: progressed,
  },
  {
    id: 'progress-onward',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], progress: ['onward', 'arrival'] },
    to: 'installing-in-progress',
    why: 'The next stage started. A machine that waited for a user action continues.',
    status: stageName,
    emit: progressed,
  },
  {
    id: 'progress-done',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], progress: ['done'], day2: [false] },
    to: 'installed',
    why: 'The node joined its cluster after a user action.',
    status: installed,
    emit: progressed,
  },
  {
    id: 'progress-added',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], progress: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'The host joined the cluster, or it no longer reports.',
    status: added,
    emit: progressed,
  },
  {
    id: 'progress-failed',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], progress: ['failed'] },
    to: 'error',
    cause: 'report',
    why: 'The installer reported a failure. The last stage is kept.',
    status: ({ command: { info } }) =>
      info === '' ? hostReason('failed') : hostReason('failed-because', { parameters: { info } }),
    emit: ({ command }) => [{ type: 'HostInstallationFailed', data: { reason: command.info } }],
  },
  {
    id: 'late-progress',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], progress: ['arrival'] },
    to: 'installing-in-progress',
    why: 'The machine continues from its disk after a deadline. A late completion is accepted.',
    status: stageName,
    emit: progressed,
  },
  {
    id: 'late-done',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], progress: ['done'], day2: [false] },
    to: 'installed',
    why: 'The node joined its cluster after a deadline. A late completion is accepted.',
    status: installed,
    emit: progressed,
  },
  {
    id: 'late-added',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], progress: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'The host joined after a deadline. A late completion is accepted.',
    status: added,
    emit: progressed,
  },
  {
    id: 'progress-despite-cluster',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['cluster'], progress: ['arrival', 'done'] },
    to: 'stay',
    why: 'The host continues after its cluster failed. Its progress is used when the cluster recovers.',
    emit: progressed,
  },
];

const ANY = ['unregistered', ...statusesExcept([])] as const;

/** Rows for passed deadlines. The deadline is stored as an event. The rows for Refresh decide its effects. */
export const DEADLINE_ROWS: readonly RowOn<'PassDeadline'>[] = [
  {
    id: 'deadline-passed',
    from: ANY,
    on: 'PassDeadline',
    when: { deadlineDue: [true] },
    to: 'stay',
    why: 'The deadline passed. The event alone does not end the installation, and a late completion is still accepted.',
    emit: ({ command }) => [{ type: 'HostDeadlinePassed', data: { deadline: command.deadline } }],
  },
  {
    id: 'deadline-stale',
    from: ANY,
    on: 'PassDeadline',
    when: { deadlineDue: [false] },
    to: 'stay',
    why: 'The status of the host changed before the timer was processed.',
  },
];
