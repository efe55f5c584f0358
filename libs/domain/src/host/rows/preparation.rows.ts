import { hostReason } from '../messages';
import type { StatusReason } from '../../status-reason';
import type { ContextOf, RowOn } from '../guards';
import type { HostGuardValues } from '../guards';
import { blocked, installerChosen } from '../effects';

type Context = ContextOf<'Refresh'>;
type Phase = HostGuardValues['cluster'];

const NOT_PREPARING: readonly Phase[] = ['installing', 'finalizing', 'waiting', 'failed', 'done', 'other'];
const CONNECTED: readonly HostGuardValues['connection'][] = ['connected'];
const UNREACHABLE: readonly HostGuardValues['connection'][] = ['silent', 'no-media'];

const insufficient = blocked('insufficient');
/** Returns the failing validations that the preparation checks. */
const failingPreparation = ({ conditions }: Context['command']): string[] =>
  (conditions?.preparationIds ?? []).filter((id) => conditions?.failingIds.includes(id));
/** Returns the validations of the checks without a good result. They pass while nothing was measured. */
const unfinishedChecks = ({ conditions }: Context['command']): string[] => [
  ...(conditions?.diskSpeed === 'ok' ? [] : ['sufficient-installation-disk-speed']),
  ...(conditions?.images === 'ok' ? [] : ['container-images-available']),
];
const ready = (): StatusReason => hostReason('ready');

/** Rows from `known` to `installing`. The preparation of the cluster starts and ends that of its hosts. */
export const PREPARATION_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'selected',
    from: ['known'],
    on: 'Refresh',
    when: { connection: CONNECTED, selected: [true], preparation: ['running', 'done', 'images-failed', 'renewed'] },
    to: 'preparing-for-installation',
    why: 'The cluster is preparing and includes this host. Failed image checks are repeated.',
    status: () => hostReason('selected'),
    emit: ({ state, command }) => [
      ...(command.conditions?.images === 'failed' ? [{ type: 'HostImageCheckVoided' as const, data: {} }] : []),
      ...(state.logs.state === ''
        ? []
        : [{ type: 'HostLogsReported' as const, data: { logsState: '', at: command.at } }]),
    ],
  },
  {
    id: 'selected-with-slow-disk',
    from: ['known'],
    on: 'Refresh',
    when: { connection: CONNECTED, selected: [true], preparation: ['disk-failed'] },
    to: 'insufficient',
    why: 'The disk check is not repeated automatically. Its result is kept until a user resets it.',
    status: insufficient,
  },
  {
    id: 'selected-while-contested',
    from: ['known'],
    on: 'Refresh',
    when: { connection: CONNECTED, selected: [true], preparation: ['contested'] },
    to: 'insufficient',
    why: 'Two live machines use the id of the host, so it is not prepared.',
    status: insufficient,
  },
  {
    id: 'preparation-contested',
    from: ['preparing-for-installation', 'preparing-failed'],
    on: 'Refresh',
    when: { connection: CONNECTED, preparation: ['contested'] },
    to: 'insufficient',
    why: 'Another live machine uses the id of the host. No disk was written, so the host stops.',
    status: insufficient,
  },
  {
    id: 'preparation-disk-failed',
    from: ['preparing-for-installation', 'preparing-failed'],
    on: 'Refresh',
    when: { connection: CONNECTED, preparation: ['disk-failed'] },
    to: 'insufficient',
    why: 'The speed of the disk could not be measured, so the disk is not written.',
    status: insufficient,
  },
  {
    id: 'preparation-images-failed',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, preparation: ['images-failed'] },
    to: 'preparing-failed',
    why: 'The installer requires the images that the host cannot pull.',
    status: ({ command }) => hostReason('preparation-failed', { failing: failingPreparation(command) }),
  },
  {
    id: 'preparation-images-renewed',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, preparation: ['renewed'] },
    to: 'stay',
    why: 'The image check from before the preparation is discarded. The next check decides.',
    emit: () => [{ type: 'HostImageCheckRenewed', data: {} }],
  },
  {
    id: 'preparation-done',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['preparing'], preparation: ['done'] },
    to: 'preparing-successful',
    why: 'The disk and image checks passed. The host waits for the other hosts.',
    status: () => hostReason('prepared'),
  },
  {
    id: 'preparation-running',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['preparing'], preparation: ['running'], statusDeadline: ['pending'] },
    to: 'stay',
    why: 'A disk or image check is still running.',
  },
  {
    id: 'preparation-timed-out',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['preparing'], preparation: ['running'], statusDeadline: ['passed'] },
    to: 'preparing-failed',
    why: 'A disk or image check did not complete before the deadline.',
    status: ({ command }) => hostReason('preparation-timed-out', { failing: unfinishedChecks(command) }),
  },
  {
    id: 'preparation-called-off',
    from: ['preparing-for-installation'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: NOT_PREPARING, preparation: ['running', 'done'] },
    to: 'known',
    why: 'The cluster is no longer preparing. No disk was written.',
    status: ready,
  },
  {
    id: 'preparation-failure-awaits-cluster',
    from: ['preparing-failed'],
    on: 'Refresh',
    when: {
      connection: CONNECTED,
      cluster: ['preparing'],
      preparation: ['running', 'done', 'images-failed', 'renewed'],
    },
    to: 'stay',
    why: 'The cluster has not processed the failed preparation yet.',
  },
  {
    id: 'preparation-failure-over',
    from: ['preparing-failed'],
    on: 'Refresh',
    when: {
      connection: CONNECTED,
      cluster: NOT_PREPARING,
      preparation: ['running', 'done', 'images-failed', 'renewed'],
    },
    to: 'known',
    why: 'The attempt has ended. The next attempt repeats the checks.',
    status: ready,
  },
  {
    id: 'prepared-disk-failed',
    from: ['preparing-successful'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['preparing'], preparation: ['disk-failed'] },
    to: 'insufficient',
    why: 'A later measurement of the disk failed. No disk was written, so the host stops.',
    status: insufficient,
  },
  {
    id: 'prepared-contested',
    from: ['preparing-successful'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['preparing'], preparation: ['contested'] },
    to: 'insufficient',
    why: 'Another live machine uses the id of the host. No disk was written, so the host stops.',
    status: insufficient,
  },
  {
    id: 'prepared-awaits-others',
    from: ['preparing-successful'],
    on: 'Refresh',
    when: {
      connection: CONNECTED,
      cluster: ['preparing'],
      preparation: ['running', 'done', 'images-failed', 'renewed'],
    },
    to: 'stay',
    why: 'The host waits for other hosts or for the manifests.',
  },
  {
    id: 'installation-starts',
    from: ['preparing-successful'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['installing'] },
    to: 'installing',
    why: 'The cluster is installing. The agent receives its install step.',
    status: () => hostReason('installing'),
    emit: installerChosen,
  },
  {
    id: 'prepared-in-vain',
    from: ['preparing-successful'],
    on: 'Refresh',
    when: { connection: CONNECTED, cluster: ['finalizing', 'waiting', 'failed', 'done', 'other'] },
    to: 'known',
    why: 'The preparation of the cluster ended. No disk was written.',
    status: ready,
  },
  {
    id: 'absent-while-preparing',
    from: ['preparing-for-installation', 'preparing-successful'],
    on: 'Refresh',
    when: { connection: UNREACHABLE },
    to: 'disconnected',
    why: 'A host that does not report cannot be installed. The cluster stops preparing.',
    status: () => hostReason('silent-while-preparing'),
  },
];
