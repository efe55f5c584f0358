import type { ClusterSettingsFacts } from '../facts/cluster-settings.facts';
import { isDay2Cluster, isSingleNode } from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isBound, isDay2Host } from '../facts/host.facts';
import { addressesOf } from '../hardware/hardware';
import { broken, type Claim, fail, pass, passIf, pending } from '../rule/rule';
import type { HostRule } from './host-rule';

type Resolution = NonNullable<HostFacts['resolutions']>[number];

const domainOf = ({ name, baseDnsDomain }: ClusterSettingsFacts): string => `${name}.${baseDnsDomain}`;
const answersOf = ({ ipv4Addresses, ipv6Addresses, cnames }: Resolution): readonly string[] => [
  ...ipv4Addresses,
  ...ipv6Addresses,
  ...cnames,
];
const MANAGED = 'Not needed when the cluster brings its own names';

/** Who brings the load balancing brings the names that lead to it; otherwise the cluster does. */
function excusedFromNames(facts: HostFacts): string | undefined {
  const cluster = clusterOf(facts);
  const isUserManaged = cluster.imported
    ? (facts.workerNetworking ?? 'user-managed') === 'user-managed'
    : cluster.userManagedNetworking;
  if (!isUserManaged) return MANAGED;
  const isServed = facts.policy.singleNodeDnsmasq && isSingleNode(cluster) && !isDay2Cluster(cluster);
  return isServed ? 'A single node serves its names itself' : undefined;
}

function nameClaim(facts: HostFacts, label: string): Claim {
  const cluster = clusterOf(facts);
  if (cluster.imported && facts.workerNetworking === undefined)
    return pending('Waiting for the ignition of the installed cluster, which tells who balances its load');
  if (cluster.baseDnsDomain === '') return broken('The cluster has no base domain to look names up in');
  const name = `${label}.${domainOf(cluster)}`;
  if (facts.resolutions === undefined) return broken('The host has not told yet what names lead to');
  const resolution = facts.resolutions.find(({ domainName }) => domainName === name);
  if (!resolution || answersOf(resolution).length === 0) return fail(`${name} leads nowhere`);
  // On a single node the names have to lead to the host itself.
  if (isSingleNode(cluster)) return pass(name);
  const own = new Set(addressesOf(hardwareOf(facts)).map((address) => address.split('/')[0]));
  const mine = [...resolution.ipv4Addresses, ...resolution.ipv6Addresses].find((address) => own.has(address));
  return mine === undefined ? pass(name) : fail(`${name} leads to ${mine}, which is the host itself`);
}

function resolves(id: HostRule['id'], label: string): HostRule {
  return {
    id,
    category: 'network',
    checks: `With user-managed networking: ${label}.<cluster>.<domain> resolves, and not to the host itself.`,
    applies: isBound,
    excused: excusedFromNames,
    needs: [],
    claim: (facts) => nameClaim(facts, label),
    explain: ({ passed, measured }) => (passed ? `${measured} resolves` : `Name is not set up: ${measured}`),
    remedy: 'Create the DNS record, leading to the load balancer, in the name server that the host asks.',
    gate: 'known',
    comesAndGoes: true,
  };
}

export const NAME_RESOLUTION_RULES: readonly HostRule[] = [
  resolves('api-domain-name-resolved-correctly', 'api'),
  resolves('api-int-domain-name-resolved-correctly', 'api-int'),
  resolves('apps-domain-name-resolved-correctly', 'console-openshift-console.apps'),
  {
    id: 'dns-wildcard-not-configured',
    category: 'network',
    checks: 'A name that nobody created below the domain of the cluster does not resolve.',
    applies: isBound,
    excused: (facts) =>
      isDay2Host(facts) || isDay2Cluster(clusterOf(facts))
        ? 'Not checked when adding hosts to an installed cluster'
        : undefined,
    needs: [],
    claim: (facts) => {
      if (facts.resolutions === undefined) return pending('Waiting for the host to look up names');
      const name = `validateNoWildcardDNS.${domainOf(clusterOf(facts))}`;
      const asked = [name, `${name}.`].map((one) => facts.resolutions?.find(({ domainName }) => domainName === one));
      if (asked.some((resolution) => resolution === undefined)) return broken(`The host was not asked about ${name}`);
      return passIf(!asked.some((resolution) => resolution && answersOf(resolution).length > 0), name);
    },
    explain: ({ passed, measured }) =>
      passed
        ? 'There is no wildcard record'
        : `There is a wildcard record: ${measured}, which nobody created, resolves`,
    remedy: 'Remove the wildcard record of the domain of the cluster; only *.apps may be one.',
    gate: 'known',
    comesAndGoes: true,
  },
];
