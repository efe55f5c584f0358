import { hostnameOf } from '../facts/host.facts';
import { failBecause, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_HOSTNAME_CHARACTERS = 63;
const HOSTNAME = /^[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*$/;
const RESERVED = ['localhost', 'localhost4', 'localhost6'].flatMap((name) => [
  name,
  `${name}.localdomain${name.slice('localhost'.length)}`,
]);

/** Returns true for a valid node name: lower case, at most 63 characters, not a loopback name. */
export function isHostname(name: string): boolean {
  return name.length <= MAX_HOSTNAME_CHARACTERS && HOSTNAME.test(name) && !RESERVED.includes(name);
}

export const NAME_RULES: readonly HostRule[] = [
  {
    id: 'hostname-unique',
    category: 'hardware',
    checks: 'No other host of the cluster has the same name.',
    boundOnly: true,
    needs: ['inventory'],
    claim: (facts) => passIf(!facts.hasDuplicateName, hostnameOf(facts)),
    messages: {
      success: { message: 'Hostname {0} is unique in the cluster', measured: '{0}' },
      failure: { message: 'Hostname {0} is not unique in the cluster', measured: '{0}' },
    },
    remedy: 'Give the host a unique name.',
    gate: 'known',
  },
  {
    id: 'hostname-valid',
    category: 'hardware',
    checks: 'The name has at most 63 lower-case letters, digits, hyphens and dots, and is not a loopback name.',
    needs: [],
    claim: (facts) => {
      if (!facts.hardware) return failBecause('unknown');
      return passIf(isHostname(hostnameOf(facts)), hostnameOf(facts));
    },
    messages: {
      success: { message: 'Hostname {0} is allowed', measured: '{0}' },
      failure: { message: 'Hostname "{0}" is not allowed', measured: '{0}' },
      unknown: 'The hostname is not known yet: the host has not reported its hardware',
    },
    initial: failBecause('unknown'),
    remedy:
      'Give the host a name of at most 63 lower-case letters, digits, hyphens and dots that starts with a letter or digit.',
    gate: 'known',
    inPool: true,
  },
];
