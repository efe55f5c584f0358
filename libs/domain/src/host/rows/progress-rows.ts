import type { HostEvent } from '@muster/contracts';
import { readProgress } from '../host-progress';
import type { ContextOf, RowOn } from '../host-row';
import { failedText, HOST_MESSAGES } from '../host-messages';
import { INSTALLING, statusesExcept } from '../host-status-groups';

type Context = ContextOf<'ReportProgress'>;
type ProgressRow = RowOn<'ReportProgress'>;

function progressed({ state, command }: Context): readonly HostEvent[] {
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

const stageName = ({ command }: Context): string => command.stage;
const added = ({ command }: Context): string => (command.isKubeApi ? command.stage : HOST_MESSAGES.day2Rebooted);
const installed = (): string => HOST_MESSAGES.installed;

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
    why: 'The stage is the same; its clock starts anew because something moves.',
    effects: progressed,
  },
  {
    id: 'progress-onward',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['onward', 'arrival'] },
    to: 'installing-in-progress',
    why: 'The next stage began; a machine that waited for its person is under way again.',
    info: stageName,
    effects: progressed,
  },
  {
    id: 'progress-done',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['done'], day2: [false] },
    to: 'installed',
    why: 'The node is part of its cluster, however long a person was waited for.',
    info: installed,
    effects: progressed,
  },
  {
    id: 'progress-added',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'The host joined, or is not heard of any more from here on.',
    info: added,
    effects: progressed,
  },
  {
    id: 'progress-failed',
    from: INSTALLING,
    on: 'ReportProgress',
    when: { bound: [true], move: ['failed'] },
    to: 'error',
    cause: 'report',
    why: 'The installer says so itself; how far it came is kept.',
    info: ({ command }) => failedText(command.info),
    effects: ({ command }) => [{ type: 'HostInstallationFailed', data: { reason: command.info } }],
  },
  {
    id: 'late-progress',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['arrival'] },
    to: 'installing-in-progress',
    why: 'A deadline had passed, yet the machine goes on from its disk: late success is success.',
    info: stageName,
    effects: progressed,
  },
  {
    id: 'late-done',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['done'], day2: [false] },
    to: 'installed',
    why: 'A deadline had passed, yet the node is part of its cluster: late success is success.',
    info: installed,
    effects: progressed,
  },
  {
    id: 'late-added',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['late'], move: ['done'], day2: [true] },
    to: 'added-to-existing-cluster',
    why: 'A deadline had passed, yet the host joined: late success is success.',
    info: added,
    effects: progressed,
  },
  {
    id: 'progress-despite-cluster',
    from: ['error'],
    on: 'ReportProgress',
    when: { bound: [true], failure: ['cluster'], move: ['arrival', 'done'] },
    to: 'stay',
    why: 'The host goes on although its cluster failed: remembered for the day the cluster recovers.',
    effects: progressed,
  },
];
