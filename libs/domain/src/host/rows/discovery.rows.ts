import type { Guard } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { blocked, leaveCluster } from '../effects';
import type { ContextOf, HostVariables, RowOn } from '../guards';
import { isMediaLost } from '../input';
import { hostReason } from '../messages';
import { DISCOVERY, type HostSource, UNBOUND, RECLAIMING } from '../state';

type Context = ContextOf<'Refresh'>;

const insufficient = blocked('insufficient');
const absent = ({ state, command }: Context): StatusReason =>
  hostReason(isMediaLost(command.conditions, state) ? 'media-lost' : 'silent');

/**
 * All statuses before the installation, except `known` while the cluster prepares: preparation.rows.ts has the rows for
 * it.
 */
const inspected = (id: string, rest: Omit<RowOn<'Refresh'>, 'id' | 'from' | 'on'>): readonly RowOn<'Refresh'>[] => [
  { id, from: DISCOVERY.filter((status) => status !== 'known'), on: 'Refresh', ...rest },
  { id: `known-${id}`, from: ['known'], on: 'Refresh', ...rest, when: { ...rest.when, selected: [false] } },
];

const present = (validation: Guard<HostVariables>['validation']): Guard<HostVariables> => ({
  connection: ['connected'],
  validation,
});
const SILENT_SOURCES: readonly HostSource[] = [...DISCOVERY, 'preparing-failed'];

/** Rows for bound hosts that are being evaluated, in the order in which problems can be corrected. */
export const DISCOVERY_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'absent',
    from: SILENT_SOURCES,
    on: 'Refresh',
    when: { connection: ['silent', 'no-media'] },
    to: 'disconnected',
    why: 'A host that does not report or cannot read its image cannot be evaluated.',
    status: absent,
  },
  ...inspected('inspection-awaited', {
    when: present(['no-inventory']),
    to: 'discovering',
    why: 'The host cannot be evaluated without an inventory.',
    status: () => hostReason('awaiting-hardware'),
  }),
  {
    id: 'inspection-truncated',
    from: ['disconnected', 'discovering'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'discovering',
    why: 'An inventory that was truncated completely cannot be evaluated.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'inspection-became-truncated',
    from: ['insufficient', 'pending-for-input'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'insufficient',
    why: 'The host sent an inventory that cannot be evaluated after a valid one.',
    status: insufficient,
  },
  {
    id: 'known-inspection-became-truncated',
    from: ['known'],
    on: 'Refresh',
    when: { ...present(['truncated']), selected: [false] },
    to: 'insufficient',
    why: 'The host sent an inventory that cannot be evaluated after a valid one.',
    status: insufficient,
  },
  ...inspected('hardware-too-weak', {
    when: present(['weak']),
    to: 'insufficient',
    why: 'The hardware of the host does not meet the minimum requirements.',
    status: ({ command }) => hostReason('weak-hardware', { failing: command.conditions?.hardwareIds ?? [] }),
  }),
  ...inspected('disk-uuid-disabled', {
    when: present(['no-disk-uuid']),
    to: 'insufficient',
    why: 'The platform must provide disk UUIDs before the other validations are evaluated.',
    status: insufficient,
  }),
  ...inspected('input-missing', {
    when: present(['input-missing']),
    to: 'pending-for-input',
    why: 'The hardware passes, and the machine network of the cluster is not set.',
    status: ({ command }) => hostReason('input-missing', { failing: command.conditions?.inputIds ?? [] }),
  }),
  ...inspected('not-sufficient', {
    when: present(['insufficient']),
    to: 'insufficient',
    why: 'A validation that blocks the installation fails.',
    status: insufficient,
  }),
  ...inspected('contested', {
    when: present(['contested']),
    to: 'insufficient',
    why: 'Two live machines use the id of the host. The installation would write the disk of whichever polls first.',
    status: insufficient,
  }),
  ...inspected('sufficient', {
    when: present(['sufficient']),
    to: 'known',
    why: 'All validations that block the installation pass.',
    status: () => hostReason('ready'),
  }),
];

/** Rows for hosts without a cluster. */
export const UNBOUND_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'unbound-silent',
    from: [...UNBOUND, 'unbinding'],
    on: 'Refresh',
    when: { connection: ['silent'] },
    to: 'disconnected-unbound',
    why: 'A host that does not report cannot be evaluated.',
    status: () => hostReason('silent'),
  },
  {
    id: 'unbound-media-lost',
    from: UNBOUND,
    on: 'Refresh',
    when: { connection: ['no-media'] },
    to: 'stay',
    why: 'A failed step has already disconnected the host. The host waits for its media.',
  },
  {
    id: 'unbound-inspection-awaited',
    from: UNBOUND,
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['no-inventory'] },
    to: 'discovering-unbound',
    why: 'The host cannot be evaluated without an inventory.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'unbound-inspection-truncated',
    from: ['disconnected-unbound', 'discovering-unbound'],
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['truncated'] },
    to: 'discovering-unbound',
    why: 'An inventory that was truncated completely cannot be evaluated.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'unbound-inspection-became-truncated',
    from: ['known-unbound', 'insufficient-unbound'],
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['truncated'] },
    to: 'insufficient-unbound',
    why: 'A host that can no longer be evaluated must not be bound.',
    status: blocked('insufficient'),
  },
  {
    id: 'unbound-not-sufficient',
    from: UNBOUND,
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['weak', 'no-disk-uuid', 'input-missing', 'insufficient'] },
    to: 'insufficient-unbound',
    why: 'The hardware is below the minimum of every role, or the hostname is not valid.',
    status: blocked('insufficient'),
  },
  {
    id: 'unbound-contested',
    from: UNBOUND,
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['contested'] },
    to: 'insufficient-unbound',
    why: 'Two live machines use the id of the host, so it must not be bound.',
    status: blocked('insufficient'),
  },
  {
    id: 'unbound-sufficient',
    from: UNBOUND,
    on: 'Refresh',
    when: { connection: ['connected'], validation: ['sufficient'] },
    to: 'known-unbound',
    why: 'The host can be bound to a cluster.',
    status: () => hostReason('ready-to-bind'),
  },
  {
    id: 'unbinding-awaits-boot',
    from: ['unbinding'],
    on: 'Refresh',
    when: { connection: ['connected', 'no-media'] },
    to: 'stay',
    why: 'The agent restarts and registers without a cluster.',
  },
  {
    id: 'reclaim-awaits-boot',
    from: RECLAIMING,
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'The host downloads or boots the discovery image.',
  },
  {
    id: 'reclaim-timed-out',
    from: RECLAIMING,
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'unbinding-pending-user-action',
    why: 'The host did not boot the discovery image in time. A user must boot it.',
    status: () => hostReason('unbinding'),
    emit: leaveCluster,
  },
];
