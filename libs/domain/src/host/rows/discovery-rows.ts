import type { Guard } from '@muster/decision';
import type { ContextOf, RowOn } from '../host-row';
import { HOST_MESSAGES, inputMissingText, insufficientText, weakHardwareText } from '../host-messages';
import type { HostSource } from '../host-status';
import { DISCOVERY } from '../host-status-groups';
import type { HostVariables } from '../host-variables';

type Context = ContextOf<'Refresh'>;

const insufficient = ({ command }: Context): string => insufficientText(command.conditions?.failingMessages);
const absent = ({ state, command }: Context): string =>
  !state.isMediaConnected || command.conditions?.mediaConnected === false
    ? HOST_MESSAGES.mediaLost
    : HOST_MESSAGES.silent;

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
    info: absent,
  },
  ...inspected('inspection-awaited', {
    when: present(['no-inventory']),
    to: 'discovering',
    why: 'Without an inventory there is nothing to judge.',
    info: () => HOST_MESSAGES.awaitingHardware,
  }),
  {
    id: 'inspection-truncated',
    from: ['disconnected', 'discovering'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'discovering',
    why: 'An inventory that had to be cut down to nothing is as good as none.',
    info: () => HOST_MESSAGES.awaitingHardware,
  },
  {
    id: 'inspection-became-truncated',
    from: ['insufficient', 'pending-for-input'],
    on: 'Refresh',
    when: present(['truncated']),
    to: 'insufficient',
    why: 'The machine was inspected before; now its inventory tells nothing and the rules say so.',
    info: insufficient,
  },
  {
    id: 'known-inspection-became-truncated',
    from: ['known'],
    on: 'Refresh',
    when: { ...present(['truncated']), selected: [false] },
    to: 'insufficient',
    why: 'The machine was inspected before; now its inventory tells nothing and the rules say so.',
    info: insufficient,
  },
  ...inspected('hardware-too-weak', {
    when: present(['weak']),
    to: 'insufficient',
    why: 'The machine can never be installed as it is.',
    info: ({ command }) => weakHardwareText(command.conditions?.hardwareMessages),
  }),
  ...inspected('disk-uuid-disabled', {
    when: present(['no-disk-uuid']),
    to: 'insufficient',
    why: 'The platform has to be told to show disk UUIDs before anything else is worth asking.',
    info: insufficient,
  }),
  ...inspected('input-missing', {
    when: present(['input-missing']),
    to: 'pending-for-input',
    why: 'The machine is fine; a person has yet to say which network the cluster uses.',
    info: ({ command }) => inputMissingText(command.conditions?.inputMessages),
  }),
  ...inspected('not-sufficient', {
    when: present(['insufficient']),
    to: 'insufficient',
    why: 'Some rule that gates the installation fails.',
    info: insufficient,
  }),
  ...inspected('sufficient', {
    when: present(['sufficient']),
    to: 'known',
    why: 'All rules that gate the installation pass.',
    info: () => HOST_MESSAGES.ready,
  }),
];
