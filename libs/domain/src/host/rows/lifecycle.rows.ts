import type { HostEvent } from '@muster/contracts';
import type { StatusReason } from '../../status-reason';
import { installerChosen, leaveCluster, roleAssigned } from '../effects';
import type { ContextOf, RowOn } from '../guards';
import { hostReason } from '../messages';
import { DISCOVERY, INSTALLING, PREPARING, RECLAIMING } from '../state';

const unbinding = (): StatusReason => hostReason('unbinding');
const installationFailed = ({ command }: ContextOf<'ReportInstallFailure'>): readonly HostEvent[] => [
  { type: 'HostInstallationFailed', data: { reason: command.reason } },
];

function installDay2Host(context: ContextOf<'InstallHost'>): readonly HostEvent[] {
  // The stages that the host may report follow from its assigned role. A host that was bound after its registration has none.
  const role = context.state.role === 'auto-assign' ? roleAssigned(context.state, 'worker') : [];
  return [...role, ...installerChosen(context)];
}

const INSTALL_ROWS: readonly RowOn<'InstallHost'>[] = [
  {
    id: 'install-day2-host',
    from: ['known'],
    on: 'InstallHost',
    when: { day2: [true] },
    to: 'installing',
    why: 'The cluster is already installed, so the host does not wait for other hosts. A host without a role becomes a worker.',
    status: () => hostReason('installing'),
    emit: installDay2Host,
  },
];

const FAILURE_ROWS: readonly RowOn<'ReportInstallFailure'>[] = [
  {
    id: 'install-step-failed',
    from: ['installing', 'installing-in-progress'],
    on: 'ReportInstallFailure',
    to: 'error',
    cause: 'report',
    why: 'The installer reported a failure.',
    status: ({ command: { reason } }) => hostReason('install-step-failed', { parameters: { reason } }),
    emit: installationFailed,
  },
];

const CANCEL_ROWS: readonly RowOn<'CancelInstallation'>[] = [
  {
    id: 'cancel-installation',
    from: [...INSTALLING, 'installed', 'error'],
    on: 'CancelInstallation',
    to: 'cancelled',
    why: 'The disk may have been written. The host must be reset before it is used again.',
    status: () => hostReason('cancelled'),
  },
  {
    id: 'cancel-preparation',
    from: ['preparing-for-installation', 'preparing-successful'],
    on: 'CancelInstallation',
    to: 'known',
    why: 'Nothing was written.',
    status: () => hostReason('cancelled'),
  },
  {
    id: 'cancel-nothing',
    from: ['known', 'cancelled'],
    on: 'CancelInstallation',
    to: 'stay',
    why: 'The host is not being installed, or its installation is already cancelled.',
  },
];

const RESET_ROWS: readonly RowOn<'RequireReset'>[] = [
  {
    id: 'require-reset',
    from: [
      'resetting',
      'discovering',
      'known',
      'pending-for-input',
      ...PREPARING,
      ...INSTALLING,
      'installed',
      'error',
      'cancelled',
      'added-to-existing-cluster',
    ],
    on: 'RequireReset',
    when: { resettable: [true] },
    to: 'resetting-pending-user-action',
    why: 'The machine must boot the discovery image again. A user or the controller of the machine must boot it.',
    status: () => hostReason('resetting'),
    emit: ({ command }) => [{ type: 'HostReset', data: { reason: command.reason } }],
  },
  {
    id: 'require-reset-again',
    from: ['resetting-pending-user-action'],
    on: 'RequireReset',
    when: { resettable: [true] },
    to: 'stay',
    why: 'The host already waits for the boot of the discovery image.',
  },
];

const BIND_ROWS: readonly RowOn<'Bind'>[] = [
  {
    id: 'bind',
    from: ['known-unbound'],
    on: 'Bind',
    to: 'binding',
    why: 'The agent restarts and registers in the cluster.',
    status: () => hostReason('binding'),
    emit: ({ command }) => [{ type: 'HostBound', data: { clusterId: command.clusterId } }],
  },
];

const UNBIND_ROWS: readonly RowOn<'Unbind'>[] = [
  {
    id: 'unbind-unused',
    from: DISCOVERY,
    on: 'Unbind',
    to: 'unbinding',
    why: 'The agent runs. It restarts and registers without a cluster.',
    status: unbinding,
    emit: leaveCluster,
  },
  {
    id: 'unbind-busy',
    from: [...PREPARING, ...INSTALLING],
    on: 'Unbind',
    when: { byUser: [false] },
    to: 'unbinding-pending-user-action',
    why: 'The cluster was removed. The machine may run from its disk, so a user must boot the discovery image.',
    status: unbinding,
    emit: leaveCluster,
  },
  {
    id: 'unbind-used',
    from: ['installed', 'added-to-existing-cluster', 'error', 'cancelled'],
    on: 'Unbind',
    to: 'unbinding-pending-user-action',
    why: 'The machine runs from its disk. A user must boot the discovery image.',
    status: unbinding,
    emit: leaveCluster,
  },
];

const RECLAIM_ROWS: readonly (RowOn<'Reclaim'> | RowOn<'RebootForReclaim'> | RowOn<'FailReclaim'>)[] = [
  {
    id: 'reclaim-installed',
    from: ['installed', 'added-to-existing-cluster'],
    on: 'Reclaim',
    to: 'reclaiming',
    why: 'An agent in the cluster boots the discovery image without a user action.',
    status: unbinding,
    emit: leaveCluster,
  },
  {
    id: 'reclaim-unused',
    from: DISCOVERY,
    on: 'Reclaim',
    to: 'unbinding',
    why: 'The discovery agent runs, so no reboot is required.',
    status: unbinding,
    emit: leaveCluster,
  },
  {
    id: 'reclaim-failed-host',
    from: ['error', 'cancelled'],
    on: 'Reclaim',
    to: 'unbinding-pending-user-action',
    why: 'The machine runs no agent that could boot the discovery image.',
    status: unbinding,
    emit: leaveCluster,
  },
  {
    id: 'reclaim-reboots',
    from: ['reclaiming'],
    on: 'RebootForReclaim',
    to: 'reclaiming-rebooting',
    why: 'The discovery image is on the disk and boots next.',
    status: () => hostReason('reclaiming'),
  },
  {
    id: 'reclaim-fails',
    from: RECLAIMING,
    on: 'FailReclaim',
    to: 'unbinding-pending-user-action',
    why: 'The discovery image could not be written to the disk. A user must boot it.',
    status: ({ command: { reason } }) =>
      reason === '' ? hostReason('unbinding') : hostReason('reclaim-failed', { parameters: { reason } }),
    emit: leaveCluster,
  },
];

/** Rows for actions on hosts: install, cancel, reset, bind, unbind, reclaim. */
export const LIFECYCLE_ROWS = [
  ...INSTALL_ROWS,
  ...FAILURE_ROWS,
  ...CANCEL_ROWS,
  ...RESET_ROWS,
  ...BIND_ROWS,
  ...UNBIND_ROWS,
  ...RECLAIM_ROWS,
] as const;
