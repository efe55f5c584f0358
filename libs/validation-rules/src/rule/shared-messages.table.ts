import type { Messages } from './rule';

/** Messages of reasons that several rules share. */
export const SHARED_MESSAGES = {
  disabled: 'Validation disabled by configuration',
  'success-suppress-output': '',
  'day-2': 'Not checked for hosts that are added to an installed cluster',
  'user-managed-networking': 'Not required with user-managed networking',
  'user-managed-load-balancer': 'Not required with a user-managed load balancer',
  'vips-not-required': 'Not required with user-managed networking or on a single node',
  'single-node': 'Not required on a single node: there is no other host to reach',
  'only-host': 'There is no other host to reach',
  'no-role': 'The host has no role yet',
  'awaits-inventory': 'Waiting for the host to report its hardware',
  'awaits-machineNetworks': 'Waiting for the machine network of the cluster',
  'awaits-platform': 'Waiting for the platform of the cluster',
  'awaits-apiVips': 'Waiting for an API VIP',
  'awaits-ingressVips': 'Waiting for an ingress VIP',
  'awaits-inventories': 'Waiting for a host to report its hardware',
  'awaits-requiredNetworks': 'Waiting for the cluster, service and machine networks',
  'awaits-clusterNetworks': 'Waiting for a cluster network',
  'awaits-connectivity': 'Waiting for the host to report its connectivity',
  'awaits-groups': 'Waiting for the connectivity groups of the current networks',
  'awaits-more-hosts': 'Waiting for more hosts to compare with',
  'awaits-ignition': 'Waiting for the ignition of the installed cluster',
  'awaits-resolution': 'Waiting for the host to resolve domain names',
  'awaits-role': 'Waiting for the role of the host',
} as const satisfies Messages;
