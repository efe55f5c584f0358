import { type ClusterSettingsFacts, isDay2Cluster, isSingleNode } from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, hostnameOf, isDay2Host } from '../facts/host.facts';
import { addressesOf } from '../hardware/hardware';
import { broken, type Claim, fail, failBecause, pass, passBecause, passIf, pending } from '../rule/rule';
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
    blocksUnbound: true,
  },
];

type Resolution = NonNullable<HostFacts['resolutions']>[number];

const domainOf = ({ name, baseDnsDomain }: ClusterSettingsFacts): string => `${name}.${baseDnsDomain}`;
const answersOf = ({ ipv4Addresses, ipv6Addresses, cnames }: Resolution): readonly string[] => [
  ...ipv4Addresses,
  ...ipv6Addresses,
  ...cnames,
];
const MANAGED = 'managed';

/** DNS records are required only with user-managed load balancing. Otherwise the cluster provides the names. */
function excusedFromNames(facts: HostFacts): string | undefined {
  const cluster = clusterOf(facts);
  const isUserManaged = cluster.imported
    ? (facts.workerNetworking ?? 'user-managed') === 'user-managed'
    : cluster.userManagedNetworking;
  if (!isUserManaged) return MANAGED;
  const isServed = facts.policy.singleNodeDnsmasq && isSingleNode(cluster) && !isDay2Cluster(cluster);
  return isServed ? 'dnsmasq' : undefined;
}

function nameClaim(facts: HostFacts, label: string): Claim {
  const cluster = clusterOf(facts);
  if (cluster.imported && facts.workerNetworking === undefined) return pending('awaits-ignition');
  if (cluster.baseDnsDomain === '') return broken('no-base-domain');
  const name = `${label}.${domainOf(cluster)}`;
  if (facts.resolutions === undefined) return broken('awaits-resolution');
  const resolution = facts.resolutions.find(({ domainName }) => domainName === name);
  if (!resolution || answersOf(resolution).length === 0) return fail(name);
  // On a single node, the names must resolve to the host itself, but not to a host that is added to it.
  if (isSingleNode(cluster) && !isDay2Host(facts)) return pass(name);
  const own = new Set(addressesOf(hardwareOf(facts)).map((address) => address.split('/')[0]));
  const mine = [...resolution.ipv4Addresses, ...resolution.ipv6Addresses].find((address) => own.has(address));
  return mine === undefined ? pass(name) : failBecause('own-address', name, mine);
}

function resolves(id: HostRule['id'], label: string): HostRule {
  return {
    id,
    category: 'network',
    checks: `With user-managed networking, ${label}.<cluster>.<domain> resolves: on a single node to any address, otherwise to an address other than that of the host.`,
    boundOnly: true,
    measuredBy: 'domain-resolution',
    excused: excusedFromNames,
    needs: [],
    claim: (facts) => nameClaim(facts, label),
    messages: {
      success: { message: 'The domain name {0} is resolved', measured: '{0}' },
      failure: { message: 'The domain name {0} cannot be resolved', measured: '{0}' },
      'own-address': { message: 'The domain name {0} resolves to {1}, which is the host itself', measured: '{1}' },
      'no-base-domain': 'The cluster has no base domain',
      managed: 'Domain name resolution is not required with managed networking',
      dnsmasq: 'Domain name resolution is not required: a single node resolves the names of the cluster itself',
    },
    initial: passBecause(MANAGED),
    remedy:
      'In the name server of the host, create a DNS record that points to the load balancer, or to the host itself on a single node.',
    gate: 'known',
    mayFlap: true,
  };
}

export const NAME_RESOLUTION_RULES: readonly HostRule[] = [
  resolves('api-domain-name-resolved-correctly', 'api'),
  resolves('api-int-domain-name-resolved-correctly', 'api-int'),
  resolves('apps-domain-name-resolved-correctly', 'console-openshift-console.apps'),
  {
    id: 'dns-wildcard-not-configured',
    category: 'network',
    checks: 'A name without a record below the domain of the cluster does not resolve.',
    boundOnly: true,
    measuredBy: 'domain-resolution',
    initial: pending('awaits-resolution'),
    excused: (facts) => (isDay2Host(facts) || isDay2Cluster(clusterOf(facts)) ? 'day-2' : undefined),
    needs: [],
    claim: (facts) => {
      if (facts.resolutions === undefined) return pending('awaits-resolution');
      const name = `validateNoWildcardDNS.${domainOf(clusterOf(facts))}`;
      const asked = [name, `${name}.`].map((one) => facts.resolutions?.find(({ domainName }) => domainName === one));
      if (asked.some((resolution) => resolution === undefined)) return broken('not-resolved', name);
      return asked.some((resolution) => resolution && answersOf(resolution).length > 0) ? fail(name) : pass();
    },
    messages: {
      success: 'DNS wildcard check was successful',
      failure: { message: 'A DNS wildcard record exists: {0} has no record and resolves', measured: '{0}' },
      'not-resolved': 'The host did not resolve {0}',
    },
    remedy: 'Remove the wildcard record of the domain of the cluster. Only *.apps may be a wildcard record.',
    gate: 'known',
    mayFlap: true,
  },
];
