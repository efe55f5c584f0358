import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { stageTimeoutMs } from '../deadlines';
import { installationDiskText, resumeClock } from '../effects';
import type { ContextOf, HostGuardValues, HostVariables, RowOn } from '../guards';
import { readProgress } from '../input';
import { durationText, hostReason, type HostReasonCode } from '../messages';
import { INSTALLING, statusesExcept } from '../state';
import { CLUSTER_GOES_ON } from './installation.rows';

type RefreshContext = ContextOf<'Refresh'>;

const MINUTE_MS = 60_000;
/** Nothing more urgent than the stage is to be decided. */
const settled = (when: Guard<HostVariables>): Guard<HostVariables> => ({
  cluster: CLUSTER_GOES_ON,
  contact: ['kept', 'noted'],
  ...when,
});
const timedOut = (
  stage: readonly HostGuardValues['stage'][],
  timeouts: readonly HostGuardValues['timeouts'][],
): Guard<HostVariables> => settled({ clock: ['running'], stageDeadline: ['passed'], stage, timeouts });

const overdue =
  (code: HostReasonCode) =>
  ({ state, settings }: RefreshContext): StatusReason =>
    hostReason(code, {
      parameters: { stage: state.progress.stage, duration: durationText(stageTimeoutMs(state, settings)) },
    });

const noteTimeout = ({ state, settings }: RefreshContext): readonly HostEvent[] => [
  {
    type: 'HostStageTimedOut',
    data: { stage: state.progress.stage, minutes: Math.round(stageTimeoutMs(state, settings) / MINUTE_MS) },
  },
];

/** The clock of the current stage of a host in `installing-in-progress`. */
export const STAGE_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'stage-clock-paused',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['pause-due'] }),
    to: 'stay',
    why: 'This stage waits for other hosts, and one of those waits for a user.',
    emit: () => [{ type: 'HostStageClockPaused', data: {} }],
  },
  {
    id: 'stage-clock-stands',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['paused'] }),
    to: 'stay',
    why: 'The user has not acted yet.',
  },
  {
    id: 'stage-clock-resumed',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['resume-due'] }),
    to: 'stay',
    why: 'No host waits for a user any more: the stage gets its whole time again.',
    emit: resumeClock,
  },
  {
    id: 'stage-goes-on',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['running'], stageDeadline: ['pending', 'noted'] }),
    to: 'stay',
    why: 'The stage is within its time, or the warning was given.',
  },
  {
    id: 'reboot-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['rebooting'], ['hard', 'soft']),
    to: 'installing-pending-user-action',
    why: 'A machine that never pulls its configuration most likely boots from something else than its disk.',
    status: (context) => hostReason('pull-timed-out', { parameters: { disk: installationDiskText(context) } }),
  },
  {
    id: 'stage-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'The stage took longer than it may.',
    status: overdue('stage-timed-out'),
  },
  {
    id: 'stage-stalled',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'Writing reports as it goes: no report for so long means that it makes no progress.',
    status: overdue('stage-stalled'),
  },
  {
    id: 'stage-overdue',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['soft']),
    to: 'stay',
    why: 'Soft timeouts warn once and wait.',
    status: overdue('stage-overdue'),
    emit: noteTimeout,
  },
  {
    id: 'stage-slow',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['soft']),
    to: 'stay',
    why: 'Soft timeouts warn once and wait.',
    status: overdue('stage-slow'),
    emit: noteTimeout,
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

/** Stages as the installer and the controller report them. */
export const PROGRESS_ROWS: readonly ProgressRow[] = [
  {
    id: 'progress-repeated',
    from: statusesExcept([]),
    on: 'ReportProgress',
    when: { bound: [true], move: ['repeat'] },
    to: 'stay',
    why: 'Reports come at least once.',
  },
  {
    id: 'progress-in-other-words',
    from: statusesExcept([]),
    on: 'ReportProgress',
    when: { bound: [true], move: ['words'] },
    to: 'stay',
    why: 'The stage is the same; its timer restarts because the stage makes progress.',
    emit: progressed,
  },
  {
    id: 'progress-onward',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['onward', 'arrival'] },
    to: 'installing-in-progress',
    why: 'The next stage began; a machine that waited for its user continues.',
    status: stageName,
    emit: progressed,
  },
  {
    id: 'progress-done',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['done'], day2: [false] },
    to: 'installed',
    why: 'The node is part of its cluster, however long a user was waited for.',
    status: installed,
    emit: progressed,
  },
  {
    id: 'progress-added',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'The host joined, or is not heard of any more from here on.',
    status: added,
    emit: progressed,
  },
  {
    id: 'progress-failed',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['failed'] },
    to: 'error',
    cause: 'report',
    why: 'The installer says so itself; how far it came is kept.',
    status: ({ command: { info } }) =>
      info === '' ? hostReason('failed') : hostReason('failed-because', { parameters: { info } }),
    emit: ({ command }) => [{ type: 'HostInstallationFailed', data: { reason: command.info } }],
  },
  {
    id: 'late-progress',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['arrival'] },
    to: 'installing-in-progress',
    why: 'A deadline had passed, yet the machine continues from its disk: late success is success.',
    status: stageName,
    emit: progressed,
  },
  {
    id: 'late-done',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['done'], day2: [false] },
    to: 'installed',
    why: 'A deadline had passed, yet the node is part of its cluster: late success is success.',
    status: installed,
    emit: progressed,
  },
  {
    id: 'late-added',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'A deadline had passed, yet the host joined: late success is success.',
    status: added,
    emit: progressed,
  },
  {
    id: 'progress-despite-cluster',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['cluster'], move: ['arrival', 'done'] },
    to: 'stay',
    why: 'The host continues although its cluster failed. Its progress counts if the cluster recovers.',
    emit: progressed,
  },
];

const ANY = ['unregistered', ...statusesExcept([])] as const;

/** A deadline is a fact; what follows from it is for the rows on Refresh, at once and later. */
export const DEADLINE_ROWS: readonly RowOn<'PassDeadline'>[] = [
  {
    id: 'deadline-passed',
    from: ANY,
    on: 'PassDeadline',
    when: { due: [true] },
    to: 'stay',
    why: 'The time is up. The fact ends nothing by itself: success that comes later is still success.',
    emit: ({ command }) => [{ type: 'HostDeadlinePassed', data: { deadline: command.deadline } }],
  },
  {
    id: 'deadline-stale',
    from: ANY,
    on: 'PassDeadline',
    when: { due: [false] },
    to: 'stay',
    why: 'The host moved on before the timer was read.',
  },
];
