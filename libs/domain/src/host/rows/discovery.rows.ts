import { hostReason } from '../messages';
import type { StatusReason } from '../../status-reason';
import { blocked } from '../effects';
import type { Guard } from '@muster/decision';
import type { ContextOf, RowOn } from '../guards';
import type { HostSource } from '../status';
import { DISCOVERY } from '../status';
import type { HostVariables } from '../guards';

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
