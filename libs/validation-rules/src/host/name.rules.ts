import { hostnameOf, isBound } from '../facts/host.facts';
import { passIf, fail } from '../rule/rule';
import type { HostRule } from './host-rule';

const MAX_HOSTNAME_CHARACTERS = 63;
const HOSTNAME = /^[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*$/;
const RESERVED = ['localhost', 'localhost4', 'localhost6'].flatMap((name) => [
  name,
  `${name}.localdomain${name.slice('localhost'.length)}`,
]);

/** A name that a node can have: lower case, at most 63 characters, not a loopback name. */
export function isHostname(name: string): boolean {
  return name.length <= MAX_HOSTNAME_CHARACTERS && HOSTNAME.test(name) && !RESERVED.includes(name);
}

export const NAME_RULES: readonly HostRule[] = [
  {
    id: 'hostname-unique',
    category: 'hardware',
    checks: 'No other host of the cluster has the same name.',
    applies: isBound,
    needs: ['inventory'],
    claim: (facts) => passIf(!facts.hasDuplicateName, hostnameOf(facts)),
    explain: ({ passed, measured }) =>
      passed ? `Name ${measured} is unique` : `Another host of the cluster is called ${measured} as well`,
    remedy: 'Give the host a name of its own.',
    gate: 'known',
  },
  {
    id: 'hostname-valid',
    category: 'hardware',
    checks: 'The name has at most 63 lower-case letters, digits, hyphens and dots, and is not a loopback name.',
    needs: [],
    claim: (facts) => {
      if (!facts.hardware) return { ...fail(), because: 'Name is not known yet: the hardware has not been reported' };
      return passIf(isHostname(hostnameOf(facts)), hostnameOf(facts));
    },
    explain: ({ passed, measured }) => (passed ? `Name ${measured} is valid` : `Name "${measured}" is not valid`),
    remedy:
      'Give the host a name of at most 63 lower-case letters, digits, hyphens and dots that starts with a letter or digit.',
    gate: 'known',
    inPool: true,
  },
];
