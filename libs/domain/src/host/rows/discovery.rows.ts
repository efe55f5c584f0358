import type { Guard } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { blocked, leaveCluster } from '../effects';
import type { ContextOf, HostVariables, RowOn } from '../guards';
import { hostReason } from '../messages';
import { DISCOVERY, type HostSource, POOL, RECLAIMING } from '../state';

type Context = ContextOf<'Refresh'>;

const insufficient = blocked('insufficient');
const absent = ({ state, command }: Context): StatusReason =>
  !state.isMediaConnected || command.conditions?.mediaConnected === false
    ? hostReason('media-lost')
    : hostReason('silent');

/** Everything but `known` while its cluster prepares: that one is selected (preparation-rows). */
const inspected = (id: string, rest: Omit<RowOn<'Refresh'>, 'id' | 'from' | 'on'>): readonly RowOn<'Refresh'>[] => [
  { id, from: DISCOVERY.filter((status) => status !== 'known'), on: 'Refresh', ...rest },
  { id: `known-${id}`, from: ['known'], on: 'Refresh', ...rest, when: { ...rest.when, selected: [false] } },
];

const present = (fitness: Guard<HostVariables>['fitness']): Guard<HostVariables> => ({ reach: ['connected'], fitness });
const SILENT_SOURCES: readonly HostSource[] = [...DISCOVERY, 'preparing-failed'];

/** Bound hosts that are being looked at: what is wrong first, in the order in which it can be mended. */
export const DISCOVERY_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'absent',
    from: SILENT_SOURCES,
    on: 'Refresh',
    when: { reach: ['silent', 'no-media'] },
    to: 'disconnected',
    why: 'Nothing can be said about, or done with, a machine that is not heard of or cannot read its image.',
    status: absent,
  },
  ...inspected('inspection-awaited', {
    when: present(['no-inventory']),
    to: 'discovering',
    why: 'Without an inventory there is nothing to evaluate.',
    status: () => hostReason('awaiting-hardware'),
  }),
  {
    id: 'inspection-truncated',
    from: ['disconnected', 'discovering'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'discovering',
    why: 'An inventory that had to be cut down to nothing is as good as none.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'inspection-became-truncated',
    from: ['insufficient', 'pending-for-input'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'insufficient',
    why: 'The machine was inspected before; now its inventory tells nothing and the rules say so.',
    status: insufficient,
  },
  {
    id: 'known-inspection-became-truncated',
    from: ['known'],
    on: 'Refresh',
    when: { ...present(['truncated']), selected: [false] },
    to: 'insufficient',
    why: 'The machine was inspected before; now its inventory tells nothing and the rules say so.',
    status: insufficient,
  },
  ...inspected('hardware-too-weak', {
    when: present(['weak']),
    to: 'insufficient',
    why: 'The machine can never be installed as it is.',
    status: ({ command }) => hostReason('weak-hardware', { failing: command.conditions?.hardwareIds ?? [] }),
  }),
  ...inspected('disk-uuid-disabled', {
    when: present(['no-disk-uuid']),
    to: 'insufficient',
    why: 'The platform must expose disk UUIDs before the other validations are useful.',
    status: insufficient,
  }),
  ...inspected('input-missing', {
    when: present(['input-missing']),
    to: 'pending-for-input',
    why: 'The machine is fine; the user has not selected the network of the cluster.',
    status: ({ command }) => hostReason('input-missing', { failing: command.conditions?.inputIds ?? [] }),
  }),
  ...inspected('not-sufficient', {
    when: present(['insufficient']),
    to: 'insufficient',
    why: 'Some rule that gates the installation fails.',
    status: insufficient,
  }),
  ...inspected('sufficient', {
    when: present(['sufficient']),
    to: 'known',
    why: 'All rules that gate the installation pass.',
    status: () => hostReason('ready'),
  }),
];

/** Hosts without a cluster. */
export const POOL_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'pool-silent',
    from: [...POOL, 'unbinding'],
    on: 'Refresh',
    when: { reach: ['silent'] },
    to: 'disconnected-unbound',
    why: 'Nothing can be said about a machine that is not heard of.',
    status: () => hostReason('silent'),
  },
  {
    id: 'pool-media-lost',
    from: POOL,
    on: 'Refresh',
    when: { reach: ['no-media'] },
    to: 'stay',
    why: 'The step that failed has moved the host already; it waits for its media.',
  },
  {
    id: 'pool-inspection-awaited',
    from: POOL,
    on: 'Refresh',
    when: { reach: ['connected'], fitness: ['no-inventory'] },
    to: 'discovering-unbound',
    why: 'Without an inventory there is nothing to evaluate.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'pool-inspection-truncated',
    from: ['disconnected-unbound', 'discovering-unbound'],
    on: 'Refresh',
    when: { reach: ['connected'], fitness: ['truncated'] },
    to: 'discovering-unbound',
    why: 'An inventory that had to be cut down to nothing is as good as none.',
    status: () => hostReason('awaiting-hardware'),
  },
  {
    id: 'pool-inspection-became-truncated',
    from: ['known-unbound', 'insufficient-unbound'],
    on: 'Refresh',
    when: { reach: ['connected'], fitness: ['truncated'] },
    to: 'insufficient-unbound',
    why: 'A machine that cannot be evaluated any more must not be bound.',
    status: blocked('insufficient'),
  },
  {
    id: 'pool-not-sufficient',
    from: POOL,
    on: 'Refresh',
    when: { reach: ['connected'], fitness: ['weak', 'no-disk-uuid', 'input-missing', 'insufficient'] },
    to: 'insufficient-unbound',
    why: 'The machine is too weak for any role, or has no name a node could have.',
    status: blocked('insufficient'),
  },
  {
    id: 'pool-sufficient',
    from: POOL,
    on: 'Refresh',
    when: { reach: ['connected'], fitness: ['sufficient'] },
    to: 'known-unbound',
    why: 'The machine could be part of some cluster.',
    status: () => hostReason('ready-to-bind'),
  },
  {
    id: 'unbinding-awaits-boot',
    from: ['unbinding'],
    on: 'Refresh',
    when: { reach: ['connected', 'no-media'] },
    to: 'stay',
    why: 'The agent restarts and registers in the pool.',
  },
  {
    id: 'reclaim-awaits-boot',
    from: RECLAIMING,
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'The machine downloads the discovery image or boots it.',
  },
  {
    id: 'reclaim-timed-out',
    from: RECLAIMING,
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'unbinding-pending-user-action',
    why: 'The machine did not come back by itself: a user has to boot it.',
    status: () => hostReason('unbinding'),
    emit: leaveCluster,
  },
];
