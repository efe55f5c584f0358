import { vipLeasesAccepted } from '../effects';
import { type AnyClusterRow, type ClusterContext, type ClusterRow, refuse } from '../guards';
import { CLUSTER_STATUSES, exceptStatuses, OPEN_STATUSES } from '../state';

/** Rows for VIPs that hosts obtain by DHCP. */
export const VIP_LEASE_ROWS: readonly ClusterRow[] = [
  {
    id: 'vip-leases-accepted',
    from: OPEN_STATUSES,
    on: 'AcceptVipLeases',
    when: { leases: ['new'] },
    to: 'stay',
    emit: vipLeasesAccepted,
    why: 'A host obtained the VIPs by DHCP. The next evaluation uses them.',
  },
  {
    id: 'vip-leases-repeated',
    from: CLUSTER_STATUSES,
    on: 'AcceptVipLeases',
    when: { leases: ['same'] },
    to: 'stay',
    why: 'Every host obtains leases of the same addresses, because the MAC addresses of the VIPs are the same on all hosts.',
  },
];

export const VIP_LEASE_REFUSAL_ROWS: readonly AnyClusterRow[] = [
  refuse({
    id: 'vip-leases-not-open',
    from: exceptStatuses(...OPEN_STATUSES),
    on: 'AcceptVipLeases',
    when: { leases: ['new'] },
    code: 'not-allowed-in-state',
    reason: ({ state: { status } }) => `The cluster is ${status}: its VIPs cannot be changed.`,
    allowed: OPEN_STATUSES,
    why: 'The installation uses the VIPs that were known at its start.',
  }),
  refuse({
    id: 'vip-leases-not-wanted',
    from: CLUSTER_STATUSES,
    on: 'AcceptVipLeases',
    when: { leases: ['off'] },
    code: 'invalid-input',
    reason: 'DHCP does not allocate the VIPs of this cluster.',
    subject: 'vip_dhcp_allocation',
    allowed: [],
    why: 'The setting was changed after the host received the step.',
  }),
  refuse({
    id: 'vip-leases-outside',
    from: CLUSTER_STATUSES,
    on: 'AcceptVipLeases',
    when: { leases: ['outside'] },
    code: 'invalid-input',
    reason: ({ command: { apiVip, ingressVip }, state: { settings } }: ClusterContext<'AcceptVipLeases'>) =>
      `DHCP allocated the VIPs ${apiVip || '(none)'} and ${ingressVip || '(none)'}, which are not both in the machine network ${settings.machineNetworks?.items[0] ?? '(none)'}.`,
    subject: 'vip_dhcp_allocation',
    allowed: [],
    why: 'The hosts can serve VIPs of their own network only.',
  }),
];
