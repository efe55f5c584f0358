import { hostReason } from '../messages';
import type { StatusReason } from '../../status-reason';
import type { HostEvent } from '@muster/contracts';
import { readProgress } from '../progress';
import type { ContextOf, RowOn } from '../guards';
import { INSTALLING, statusesExcept } from '../status';

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

const stageName = ({ command: { stage } }: Context): StatusReason => hostReason('stage', { parameters: { stage } });
const added = (context: Context): StatusReason =>
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
