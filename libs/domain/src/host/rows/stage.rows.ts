import { durationText, hostReason, type HostReasonCode } from '../messages';
import type { StatusReason } from '../../status-reason';
import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import { stageTimeoutMs } from '../deadlines';
import type { ContextOf, RowOn } from '../guards';
import type { HostGuardValues, HostVariables } from '../guards';
import { installationDiskText, resumeClock } from '../effects';
import { CLUSTER_GOES_ON } from './installation.rows';

type Context = ContextOf<'Refresh'>;

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
  ({ state, settings }: Context): StatusReason =>
    hostReason(code, {
      parameters: { stage: state.progress.stage, duration: durationText(stageTimeoutMs(state, settings)) },
    });

const noteTimeout = ({ state, settings }: Context): readonly HostEvent[] => [
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
