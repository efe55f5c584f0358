import type { ClusterFacts, ClusterHostFacts } from '../facts/cluster.facts';
import { sampleCluster, sampleClusterHost, sampleSettings } from '../facts/sample.facts';
import type { Outcome } from '../rule/rule';
import { CLUSTER_RULES, evaluateCluster, renderClusterOutcome } from './cluster-rules.table';

type Settings = NonNullable<Parameters<typeof sampleSettings>[0]>;

function found(id: string, settings: Settings, more: Partial<ClusterFacts> = {}): Outcome {
  const facts = sampleCluster({ settings: sampleSettings(settings), ...more });
  const outcome = evaluateCluster(facts).find((one) => one.id === id);
  if (!outcome) throw new Error(`${id} has no outcome.`);
  return outcome;
}
const hosts = (...changes: readonly Partial<ClusterHostFacts>[]): ClusterHostFacts[] =>
  changes.map((one, at) => sampleClusterHost({ hostKey: `env.${at}`, ...one }));
const network = (cidr: string, hostPrefix: number): Settings => ({ clusterNetworks: [{ cidr, hostPrefix }] });
const USER_MANAGED = { userManagedNetworking: true, platformType: 'none', apiVips: [], ingressVips: [] };

describe('the table of cluster rules', () => {
  it('requires a stable success of measurements that flap', () => {
    const flapping = CLUSTER_RULES.filter(({ mayFlap }) => mayFlap).map(({ id }) => id);
    expect(flapping.sort()).toEqual(['api-vips-valid', 'ingress-vips-valid', 'ntp-server-configured']);
  });
});

describe('the roles of the hosts', () => {
  const auto = { role: 'auto-assign', suggestedRole: '', canBeControlPlane: false };
  const roles = (controlPlaneCount: number, ...of: readonly Partial<ClusterHostFacts>[]): readonly string[] =>
    found('sufficient-masters-count', { controlPlaneCount }, { hosts: hosts(...of) }).parameters;

  it('include an arbiter only in a cluster with two control plane hosts', () => {
    expect(roles(2, { role: 'master' }, auto, auto)).toEqual(['1', '1', '1']);
    expect(roles(1, { role: 'master' }, auto)).toEqual(['1', '0', '1']);
  });

  it('of a single node include neither an arbiter nor a worker', () => {
    expect(roles(1, { role: 'master' }, { role: 'arbiter' }, { role: 'worker' })).toEqual(['1', '1', '1']);
  });

  it('are not counted without hosts', () => {
    expect(found('sufficient-masters-count', {}, { hosts: [] })).toMatchObject({
      status: 'failure',
      reason: 'no-hosts',
    });
  });
});

describe('the clocks of the hosts', () => {
  it.each(['disconnected', 'discovering', 'resetting-pending-user-action'])('are not read while %s', (status) => {
    const given = { hosts: hosts({ clockOffsetSeconds: 0 }, { clockOffsetSeconds: 900, status }) };
    expect(found('ntp-server-configured', {}, given).status).toBe('success');
  });

  it.each([
    ['no host', []],
    ['no known clock', [undefined, undefined]],
    ['one known clock', [900, undefined]],
  ])('do not differ with %s', (_case, offsets) => {
    const given = { hosts: hosts(...offsets.map((clockOffsetSeconds) => ({ clockOffsetSeconds }))) };
    expect(found('ntp-server-configured', {}, given).status).toBe('success');
  });
});

describe('the cluster network', () => {
  it.each([
    ['Calico', '10.128.0.0/23', 'success'],
    ['Calico', '10.128.0.0/24', 'failure'],
    ['Cilium', 'fd01::/62', 'success'],
    ['Cilium', 'fd01::/63', 'failure'],
  ])('of %s has room for 4 hosts in %s: %s', (networkType, cidr, status) => {
    expect(found('network-prefix-valid', { networkType, ...network(cidr, 1) }).status).toBe(status);
  });

  it.each(['', 'OVNKubernetes', 'OpenShiftSDN'])(
    'of network type "%s" has the host prefix of the user',
    (networkType) => {
      const of = (hostPrefix: number) =>
        found('network-prefix-valid', { networkType, ...network('10.128.0.0/22', hostPrefix) });
      expect(of(24).status).toBe('success');
      expect(of(23)).toMatchObject({ status: 'failure', parameters: ['10.128.0.0/22', '23', '4'] });
      expect(of(26)).toMatchObject({ status: 'failure', reason: 'host-prefix', parameters: ['26', '25'] });
      expect(of(0)).toMatchObject({ status: 'failure', reason: 'host-prefix', parameters: ['0', '25'] });
    },
  );

  it('may have one subnet while there is one host', () => {
    const one = { hosts: hosts({}) };
    expect(found('network-prefix-valid', network('10.128.0.0/23', 23), one).status).toBe('success');
    expect(found('network-prefix-valid', network('10.128.0.0/24', 23), one).status).toBe('failure');
  });

  it('is named with the network that it overlaps', () => {
    const settings = { ...network('192.168.128.0/25', 26), machineNetworks: ['192.168.128.0/24'] };
    expect(found('no-cidrs-overlapping', settings).parameters).toEqual(['192.168.128.0/25', '192.168.128.0/24']);
  });

  it('is shown with its families beside those of the other networks', () => {
    const settings = { serviceNetworks: ['172.30.0.0/16', 'fd02::/112'] };
    const { message } = renderClusterOutcome(found('networks-same-address-families', settings));
    expect(message).toBe('The networks have different address families: IPv4+IPv6, IPv4, IPv4');
  });
});

describe('the machine network', () => {
  it('is missing as soon as one host has reported its addresses', () => {
    const given = { hosts: hosts({ hasInventory: false }, {}) };
    expect(found('machine-cidr-defined', { machineNetworks: [] }, given).status).toBe('failure');
  });

  it.each([
    ['with user-managed networking', USER_MANAGED, 'vips-not-required'],
    ['on a single node', { controlPlaneCount: 1 }, 'vips-not-required'],
    ['with a user-managed load balancer', { loadBalancerType: 'user-managed' }, 'user-managed-load-balancer'],
  ])('is not compared with the VIPs %s', (_case, settings, reason) => {
    const given = { hosts: hosts({ addresses: [] }) };
    expect(found('machine-cidr-equals-to-calculated-cidr', settings, given)).toMatchObject({
      status: 'success',
      reason,
    });
  });
});

describe('VIPs that DHCP allocates', () => {
  const DHCP = { apiVips: [], ingressVips: [], vipDhcpAllocation: true };

  it.each(['api', 'ingress'])('are missing until they arrive: %s', (kind) => {
    expect(found(`${kind}-vips-defined`, DHCP).reason).toBe('not-allocated');
    const failing = { hosts: hosts({}, { leaseFailure: 'No server answers.' }) };
    expect(found(`${kind}-vips-defined`, DHCP, failing)).toMatchObject({
      status: 'failure',
      reason: 'lease-failed',
      parameters: ['No server answers.'],
    });
    expect(found(`${kind}-vips-defined`, { ...DHCP, vipDhcpAllocation: false }, failing).reason).toBeUndefined();
  });
});

describe('VIPs', () => {
  const problems = (settings: Settings, verification = 'succeeded') =>
    renderClusterOutcome(
      found('api-vips-valid', settings, {
        vipVerifications: [{ vip: '192.168.128.100', vipType: 'api', verification }],
      }),
    ).message;

  it('are described with their problems', () => {
    expect(problems({}, 'failed')).toBe('API virtual IP 192.168.128.100 is in use by another machine');
    expect(problems({ apiVips: ['10.0.0.9'] })).toBe(
      'API virtual IP 10.0.0.9 is not in machine network 192.168.128.0/24',
    );
    expect(problems({ apiVips: ['192.168.128.100', 'fd00::100'] })).toBe(
      'API virtual IP fd00::100 is not in machine network of its family',
    );
    expect(problems({ apiVips: ['10.0.0.9'], loadBalancerType: 'user-managed' })).toBe(
      'API virtual IP 10.0.0.9 is in none of the machine networks',
    );
    expect(problems({ apiVips: ['192.168.128.255'] })).toBe(
      'API virtual IP 192.168.128.255 is the broadcast address of 192.168.128.0/24',
    );
  });

  it('of a user-managed load balancer may be in any machine network, and only the first one counts', () => {
    const balanced = { loadBalancerType: 'user-managed', machineNetworks: ['10.0.0.0/24', '192.168.128.0/24'] };
    expect(found('api-vips-valid', { ...balanced, apiVips: ['192.168.128.9', '172.16.0.1'] }).status).toBe('success');
  });
});

describe('a manifest of the user', () => {
  it.each([
    ['external', 'oci', 'failure'],
    ['external', 'other', 'success'],
    ['none', 'oci', 'success'],
  ])('is required on platform %s %s: %s', (platformType, externalPlatformName, status) => {
    expect(found('platform-requirements-satisfied', { platformType, externalPlatformName }).status).toBe(status);
  });
});
