import { inOrder } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { preparationConfirmed, preparationFinished, prepared, singleNodeVipsDerived } from '../effects';
import type { ClusterContext, ClusterRow } from '../guards';
import { clusterReason, type ClusterReasonCode } from '../messages';
import { exceptStatuses, OPEN_STATUSES } from '../state';

const blocked =
  (code: ClusterReasonCode) =>
  ({ command: { conditions } }: ClusterContext<'Refresh'>): StatusReason =>
    clusterReason(code, { failing: conditions?.failingIds ?? [], pending: conditions?.pendingIds ?? [] });

/** Before an installation: is there enough to start one? Validation decides; these rows name the answer. */
export const READINESS_ROWS: readonly ClusterRow[] = [
  {
    id: 'await-first-validation',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['unknown'] },
    to: 'stay',
    why: 'Nothing is known yet, so nothing can be concluded.',
  },
  {
    id: 'inputs-missing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [false] },
    to: 'pending-for-input',
    status: blocked('input-required'),
    why: 'Only a user can give networks, a DNS domain or a pull secret.',
  },
  {
    id: 'vips-missing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [false] },
    to: 'pending-for-input',
    status: blocked('input-required'),
    why: 'Without DHCP a user has to choose the VIPs.',
  },
  {
    id: 'vips-not-leased',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [true] },
    to: 'insufficient',
    status: blocked('not-ready'),
    why: 'With DHCP the hosts fetch the VIPs: no user input is needed.',
  },
  {
    id: 'requirements-failing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [false] },
    to: 'insufficient',
    status: blocked('not-ready'),
    why: 'Everything was given, and something of it or of the hosts does not fit.',
  },
  {
    id: 'become-ready',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [true] },
    to: 'ready',
    status: () => clusterReason('ready'),
    why: 'All that an installation needs is there and passes.',
  },
];

const PREPARING = ['preparing-for-installation'] as const;

/** From the click on install to the moment when hosts start: artifacts and hosts are made ready side by side. */
export const PREPARATION_ROWS: readonly ClusterRow[] = [
  {
    id: 'start-preparation',
    from: ['ready'],
    on: 'Install',
    when: { hostsKnown: [true], bootstrap: ['chosen'] },
    to: 'preparing-for-installation',
    status: () => clusterReason('preparing'),
    emit: ({ command: { bootstrapHostId, at }, state }) => [
      { type: 'InstallationPreparationStarted', data: { attempt: state.attempt + 1, bootstrapHostId, at } },
    ],
    why: 'The attempt gets a number and a bootstrap host; manifests and ignitions are made meanwhile.',
  },
  {
    id: 'artifacts-prepared',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['pending'], outcome: ['success'] },
    to: 'stay',
    emit: preparationFinished,
    why: 'The installation starts when the hosts are prepared too; the next refresh sees both.',
  },
  {
    id: 'artifacts-failed',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['pending'], outcome: ['failure'] },
    to: 'stay',
    emit: preparationFinished,
    why: 'The next refresh takes the cluster back, unless a host stopped and says more.',
  },
  {
    id: 'artifacts-outcome-repeated',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['none', 'success', 'failed', 'undone'] },
    to: 'stay',
    why: 'The outcome of this attempt is known, or the attempt was given up.',
  },
  {
    id: 'artifacts-of-another-attempt',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['other'] },
    to: 'stay',
    why: 'A newer attempt was started: the artifacts of this one are not used.',
  },
  {
    id: 'artifacts-too-late',
    from: exceptStatuses(...PREPARING, ...OPEN_STATUSES),
    on: 'FinishPreparation',
    to: 'stay',
    why: 'The preparation is over; a repeated message changes nothing.',
  },
  {
    id: 'host-undid-preparation',
    from: PREPARING,
    on: 'UndoPreparation',
    when: { preparation: ['success'] },
    to: 'stay',
    emit: ({ command: { reason }, state: { attempt } }) => [
      { type: 'InstallationPreparationUndone', data: { attempt, reason } },
    ],
    why: 'The host that restarted has to be prepared again before anything is installed; the artifacts stay good.',
  },
  {
    id: 'nothing-prepared-to-undo',
    from: PREPARING,
    on: 'UndoPreparation',
    when: { preparation: ['none', 'pending', 'failed', 'undone'] },
    to: 'stay',
    why: 'Nothing was confirmed that would have to be taken back.',
  },
  {
    id: 'preparation-over-to-undo',
    from: exceptStatuses(...PREPARING),
    on: 'UndoPreparation',
    to: 'stay',
    why: 'The cluster left preparation in the meantime.',
  },
  {
    id: 'start-installing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['success'], nodeAddress: ['known', 'not-needed'] },
    to: 'installing',
    status: () => clusterReason('installing'),
    emit: inOrder(singleNodeVipsDerived, prepared),
    why: 'Hosts and artifacts are ready: every host gets its installation step.',
  },
  {
    id: 'start-installing-after-undo',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['undone'], nodeAddress: ['known', 'not-needed'] },
    to: 'installing',
    status: () => clusterReason('installing'),
    emit: inOrder(preparationConfirmed, singleNodeVipsDerived, prepared),
    why: 'The host that restarted is prepared once more, and the artifacts were good all the time.',
  },
  {
    id: 'await-single-node-address',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['success', 'undone'], nodeAddress: ['missing'] },
    to: 'stay',
    status: () => clusterReason('awaiting-node-address'),
    why: 'The only node serves the API itself: without its address nothing would reach the new cluster.',
  },
  {
    id: 'host-stopped-preparing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['some-stopped'] },
    to: 'insufficient',
    status: () => clusterReason('host-stopped-preparing'),
    why: 'A host that left (silent, failing, gone) cannot be installed: its own status says why.',
  },
  {
    id: 'host-failed-to-prepare',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['some-failed'] },
    to: 'ready',
    status: () => clusterReason('preparation-failed'),
    why: 'The user may start again once the host is well.',
  },
  {
    id: 'artifacts-failed-to-prepare',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared', 'under-way'], preparation: ['failed'] },
    to: 'ready',
    status: () => clusterReason('preparation-failed'),
    why: 'No host is to blame, so the cluster itself is as ready as it was.',
  },
  {
    id: 'await-artifacts',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['none', 'pending'] },
    to: 'stay',
    why: 'Hosts were faster than the artifacts.',
  },
  {
    id: 'await-hosts-preparing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['under-way'], preparation: ['none', 'pending', 'success', 'undone'] },
    to: 'stay',
    why: 'Some hosts still measure disks or pull images.',
  },
];
