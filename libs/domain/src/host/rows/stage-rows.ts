import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import { stageTimeoutMs } from '../host-deadlines';
import type { ContextOf, RowOn } from '../host-row';
import {
  pullTimedOutText,
  stageOverdueText,
  stageSlowText,
  stageStalledText,
  stageTimedOutText,
} from '../host-messages';
import type { HostGuardValues, HostVariables } from '../host-variables';
import { installationDiskText, resumeClock } from './host-events';
import { CLUSTER_GOES_ON } from './installation-rows';

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

const told =
  (text: (stage: string, ms: number) => string) =>
  ({ state, timeouts }: Context): string =>
    text(state.progress.stage, stageTimeoutMs(state, timeouts));

const noteTimeout = ({ state, timeouts }: Context): readonly HostEvent[] => [
  {
    type: 'HostStageTimedOut',
    data: { stage: state.progress.stage, minutes: Math.round(stageTimeoutMs(state, timeouts) / MINUTE_MS) },
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
    why: 'This stage waits for other hosts, and one of those waits for a person.',
    effects: () => [{ type: 'HostStageClockPaused', data: {} }],
  },
  {
    id: 'stage-clock-stands',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['paused'] }),
    to: 'stay',
    why: 'The person has not acted yet.',
  },
  {
    id: 'stage-clock-resumed',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['resume-due'] }),
    to: 'stay',
    why: 'Nobody waits for a person any more: the stage gets its whole time again.',
    effects: resumeClock,
  },
  {
    id: 'stage-goes-on',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: settled({ clock: ['running'], stageDeadline: ['pending', 'noted'] }),
    to: 'stay',
    why: 'The stage is within its time, or people know that it is not.',
  },
  {
    id: 'reboot-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['rebooting'], ['hard', 'soft']),
    to: 'installing-pending-user-action',
    why: 'A machine that never pulls its configuration most likely boots from something else than its disk.',
    info: (context) => pullTimedOutText(installationDiskText(context)),
  },
  {
    id: 'stage-timed-out',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'The stage took longer than it may.',
    info: told(stageTimedOutText),
  },
  {
    id: 'stage-stalled',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['hard']),
    to: 'error',
    cause: 'deadline',
    why: 'Writing reports as it goes: no word for so long means that it stands still.',
    info: told(stageStalledText),
  },
  {
    id: 'stage-overdue',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['waiting', 'other'], ['soft']),
    to: 'stay',
    why: 'Soft timeouts warn once and wait.',
    info: told(stageOverdueText),
    effects: noteTimeout,
  },
  {
    id: 'stage-slow',
    from: ['installing-in-progress'],
    on: 'Refresh',
    when: timedOut(['writing'], ['soft']),
    to: 'stay',
    why: 'Soft timeouts warn once and wait.',
    info: told(stageSlowText),
    effects: noteTimeout,
  },
];
