import type { ClusterTransition } from '../cluster-row';
import { OPEN_STATUSES } from './phases';

const WAITING_FOR_INPUT = 'Waiting for input: {failing}';
const NOT_READY = 'The cluster cannot be installed yet: {failing}';

/** Before an installation: is there enough to start one? Validation decides; these rows name the answer. */
export const READINESS_ROWS: readonly ClusterTransition[] = [
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
    info: WAITING_FOR_INPUT,
    why: 'Only a person can give networks, a DNS domain or a pull secret.',
  },
  {
    id: 'vips-missing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [false] },
    to: 'pending-for-input',
    info: WAITING_FOR_INPUT,
    why: 'Without DHCP a person has to choose the VIPs.',
  },
  {
    id: 'vips-not-leased',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [false], dhcpVips: [true] },
    to: 'insufficient',
    info: NOT_READY,
    why: 'With DHCP the hosts fetch the VIPs: no person is waited for.',
  },
  {
    id: 'requirements-failing',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [false] },
    to: 'insufficient',
    info: NOT_READY,
    why: 'Everything was given, and something of it or of the hosts does not fit.',
  },
  {
    id: 'become-ready',
    from: OPEN_STATUSES,
    on: 'Refresh',
    when: { conditions: ['known'], inputs: [true], vips: [true], required: [true] },
    to: 'ready',
    info: 'The cluster is ready to be installed.',
    why: 'All that an installation needs is there and passes.',
  },
];
