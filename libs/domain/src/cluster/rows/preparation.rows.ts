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

/** Rows for clusters before an installation. The result of the validations determines the status. */
export const READINESS_ROWS: readonly ClusterRow[] = [
  {
    id: 'await-first-validation',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['unknown'] },
    to: 'stay',
    why: 'The validations of the cluster have not been evaluated yet.',
  },
  {
    id: 'inputs-missing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [false] },
    to: 'pending-for-input',
    status: blocked('input-required'),
    why: 'The user must set the networks, the DNS domain, or the pull secret.',
  },
  {
    id: 'vips-missing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [false] },
    to: 'pending-for-input',
    status: blocked('input-required'),
    why: 'The user must set the VIPs because DHCP does not allocate them.',
  },
  {
    id: 'vips-not-leased',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [true] },
    to: 'insufficient',
    status: blocked('not-ready'),
    why: 'DHCP allocates the VIPs. No user input is required.',
  },
  {
    id: 'requirements-failing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [false] },
    to: 'insufficient',
    status: blocked('not-ready'),
    why: 'All inputs are set, and a required validation of the cluster or its hosts fails.',
  },
  {
    id: 'become-ready',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [true] },
    to: 'ready',
    status: () => clusterReason('ready'),
    why: 'All required validations pass.',
  },
];

const PREPARING = ['preparing-for-installation'] as const;

/** Rows from the install request to the start of the hosts. Artifacts and hosts are prepared concurrently. */
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
    why: 'The attempt gets a number and a bootstrap host. The service creates the manifests and Ignition configs.',
  },
  {
    id: 'artifacts-prepared',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['pending'], outcome: ['success'] },
    to: 'stay',
    emit: preparationFinished,
    why: 'The artifacts are ready. The installation starts when the hosts are prepared too.',
  },
  {
    id: 'artifacts-failed',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['pending'], outcome: ['failure'] },
    to: 'stay',
    emit: preparationFinished,
    why: 'The artifacts could not be created. The next refresh ends the preparation.',
  },
  {
    id: 'artifacts-outcome-repeated',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['current'], preparation: ['none', 'success', 'failed', 'undone'] },
    to: 'stay',
    why: 'The result of this attempt is already recorded, or the attempt was cancelled.',
  },
  {
    id: 'artifacts-of-another-attempt',
    from: [...PREPARING, ...OPEN_STATUSES],
    on: 'FinishPreparation',
    when: { attempt: ['other'] },
    to: 'stay',
    why: 'A newer attempt was started. The artifacts of this attempt are not used.',
  },
  {
    id: 'artifacts-too-late',
    from: exceptStatuses(...PREPARING, ...OPEN_STATUSES),
    on: 'FinishPreparation',
    to: 'stay',
    why: 'The preparation has ended. A repeated message changes nothing.',
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
    why: 'The restarted host must be prepared again. The artifacts remain valid.',
  },
  {
    id: 'nothing-prepared-to-undo',
    from: PREPARING,
    on: 'UndoPreparation',
    when: { preparation: ['none', 'pending', 'failed', 'undone'] },
    to: 'stay',
    why: 'The preparation is not confirmed yet, so it need not be undone.',
  },
  {
    id: 'preparation-over-to-undo',
    from: exceptStatuses(...PREPARING),
    on: 'UndoPreparation',
    to: 'stay',
    why: 'The cluster is no longer preparing.',
  },
  {
    id: 'start-installing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['success'], nodeAddress: ['known', 'not-needed'] },
    to: 'installing',
    status: () => clusterReason('installing'),
    emit: inOrder(singleNodeVipsDerived, prepared),
    why: 'The hosts and the artifacts are ready. Every host receives its install step.',
  },
  {
    id: 'start-installing-after-undo',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['undone'], nodeAddress: ['known', 'not-needed'] },
    to: 'installing',
    status: () => clusterReason('installing'),
    emit: inOrder(preparationConfirmed, singleNodeVipsDerived, prepared),
    why: 'The restarted host is prepared again, and the artifacts are still valid.',
  },
  {
    id: 'await-single-node-address',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['success', 'undone'], nodeAddress: ['missing'] },
    to: 'stay',
    status: () => clusterReason('awaiting-node-address'),
    why: 'A single node serves the API. The installation requires its address.',
  },
  {
    id: 'host-stopped-preparing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['some-stopped'] },
    to: 'insufficient',
    status: () => clusterReason('host-stopped-preparing'),
    why: 'A host is silent, failing, or removed and cannot be installed. The status of the host gives the reason.',
  },
  {
    id: 'host-failed-to-prepare',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['some-failed'] },
    to: 'ready',
    status: () => clusterReason('preparation-failed'),
    why: 'The user can start the installation again when the host is ready.',
  },
  {
    id: 'artifacts-failed-to-prepare',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared', 'under-way'], preparation: ['failed'] },
    to: 'ready',
    status: () => clusterReason('preparation-failed'),
    why: 'No host failed, so the cluster is ready again.',
  },
  {
    id: 'await-artifacts',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['all-prepared'], preparation: ['none', 'pending'] },
    to: 'stay',
    why: 'The hosts are prepared. The cluster waits for the artifacts.',
  },
  {
    id: 'await-hosts-preparing',
    from: PREPARING,
    on: 'Refresh',
    when: { preparingHosts: ['under-way'], preparation: ['none', 'pending', 'success', 'undone'] },
    to: 'stay',
    why: 'Some hosts are still checking their disks or pulling images.',
  },
];
