import { hostReason } from '../messages';
import type { Guard } from '@muster/decision';
import type { RowOn } from '../guards';
import type { HostStatus } from '../status';
import type { HostGuardValues, HostVariables } from '../guards';

type RefreshRow = RowOn<'Refresh'>;

/** The cluster has not failed; day-2 hosts do not ask. */
export const CLUSTER_GOES_ON: readonly HostGuardValues['cluster'][] = [
  'preparing',
  'installing',
  'finalizing',
  'waiting',
  'done',
  'other',
];

function clusterFailed(prefix: string, from: HostStatus): RefreshRow {
  return {
    id: `${prefix}-cluster-failed`,
    from: [from],
    on: 'Refresh',
    when: { cluster: ['failed'] },
    to: 'error',
    cause: 'cluster',
    why: 'There is no cluster left to become a part of.',
    status: () => hostReason('cluster-failed'),
  };
}

/** A silent installer: fatal with hard timeouts, told once with soft ones. */
export function contactRows(prefix: string, from: HostStatus, when: Guard<HostVariables>): readonly RefreshRow[] {
  const row = (id: string, guard: Guard<HostVariables>) =>
    ({
      id: `${prefix}-${id}`,
      from: [from],
      on: 'Refresh',
      when: { cluster: CLUSTER_GOES_ON, ...when, ...guard },
    }) as const;
  return [
    {
      ...row('contact-lost', { contact: ['lost'], timeouts: ['hard'] }),
      to: 'error',
      cause: 'silence',
      why: 'The installer stopped reporting and its progress is unknown.',
      status: () => hostReason('silent-while-installing'),
    },
    {
      ...row('contact-lost-noted', { contact: ['lost'], timeouts: ['soft'] }),
      to: 'stay',
      why: 'Soft timeouts warn once and wait.',
      status: () => hostReason('silence-noted'),
      emit: () => [{ type: 'HostConnectionTimedOut', data: {} }],
    },
    {
      ...row('contact-regained', { contact: ['regained'] }),
      to: 'stay',
      why: 'The warning is taken back.',
      status: () => hostReason('silence-ended'),
      emit: () => [{ type: 'HostConnectionRecovered', data: {} }],
    },
  ];
}

/** After the install step is out, apart from stages (stage-rows). */
export const INSTALLATION_ROWS: readonly RefreshRow[] = [
  clusterFailed('installing', 'installing'),
  {
    id: 'installing-timed-out',
    from: ['installing'],
    on: 'Refresh',
    when: { cluster: CLUSTER_GOES_ON, statusDeadline: ['passed'] },
    to: 'error',
    cause: 'deadline',
    why: 'The agent got its step and never reported a stage.',
    status: () => hostReason('installing-timed-out'),
  },
  ...contactRows('installing', 'installing', { statusDeadline: ['pending'] }),
  {
    id: 'installing-goes-on',
    from: ['installing'],
    on: 'Refresh',
    when: { cluster: CLUSTER_GOES_ON, statusDeadline: ['pending'], contact: ['kept', 'noted'] },
    to: 'stay',
    why: 'The first stage has yet to be reported.',
  },

  clusterFailed('in-progress', 'installing-in-progress'),
  ...contactRows('in-progress', 'installing-in-progress', {}),

  clusterFailed('user-action', 'installing-pending-user-action'),
  {
    id: 'user-action-awaited',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: CLUSTER_GOES_ON, statusDeadline: ['pending'] },
    to: 'stay',
    why: 'A user has to make the machine boot from its disk.',
  },
  {
    id: 'user-action-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: CLUSTER_GOES_ON, statusDeadline: ['passed'], quorum: [false] },
    to: 'stay',
    why: 'The cluster cannot do without this host: it keeps waiting.',
  },
  {
    id: 'user-action-timed-out',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: {
      cluster: ['preparing', 'installing', 'finalizing', 'waiting', 'other'],
      statusDeadline: ['passed'],
      quorum: [true],
    },
    to: 'error',
    cause: 'deadline',
    why: 'The others suffice: the cluster continues without this host.',
    status: () => hostReason('boot-timed-out'),
  },
  {
    id: 'user-action-harms-nobody',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: ['done'], statusDeadline: ['passed'], quorum: [true] },
    to: 'stay',
    why: 'The cluster is installed already; the host may come whenever it boots.',
  },

  clusterFailed('installed', 'installed'),
  {
    id: 'installed-stays',
    from: ['installed'],
    on: 'Refresh',
    when: { cluster: CLUSTER_GOES_ON },
    to: 'stay',
    why: 'Nothing is left to do.',
  },
];
