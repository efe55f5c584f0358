import type { StatusReason } from '../../status-reason';
import type { ClusterContext, ClusterRow } from '../guards';
import { clusterReason, type ClusterReasonCode } from '../messages';
import { OPEN_STATUSES } from '../status';

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
