import type { ClusterFacts, ClusterHostFacts } from '../facts/cluster.facts';
import { sampleCluster, sampleClusterHost, sampleSettings } from '../facts/sample.facts';
import type { ClusterRuleId } from '../rule/contract-ids';
import { CLUSTER_RULES, evaluateCluster } from './cluster-rules.table';

const statusOf = (id: string, facts: ClusterFacts): string =>
  evaluateCluster(facts).find((one) => one.id === id)?.status ?? 'none';
const set = (changes: Parameters<typeof sampleSettings>[0], others: Partial<ClusterFacts> = {}): ClusterFacts =>
  sampleCluster({ settings: sampleSettings(changes), ...others });
const hosts = (...changes: readonly Partial<ClusterHostFacts>[]): ClusterHostFacts[] =>
  changes.map((one, at) => sampleClusterHost({ hostKey: `infra-env.host-${at}`, ...one }));
const masters = (count: number): ClusterHostFacts[] => hosts(...Array<object>(count).fill({ role: 'master' }));
const noInventories = { hosts: hosts({ hasInventory: false, addresses: [] }) };
const answers = (verification: string): ClusterFacts['vipVerifications'] => [
  { vip: '192.168.128.100', vipType: 'api', verification },
  { vip: '192.168.128.101', vipType: 'ingress', verification },
];
const userManaged = { userManagedNetworking: true, apiVips: [], ingressVips: [], machineNetworks: [] };
const balanced = { loadBalancerType: 'user-managed' };
const noNetworks = { machineNetworks: [] };
const net = (cidr: string, hostPrefix: number) => ({ clusterNetworks: [{ cidr, hostPrefix }] });
const clocks = (...offsets: readonly (number | undefined)[]): ClusterFacts =>
  sampleCluster({ hosts: hosts(...offsets.map((clockOffsetSeconds) => ({ clockOffsetSeconds }))) });
const auto = { role: 'auto-assign', suggestedRole: '' };
const weak = { ...auto, canBeControlPlane: false, canBeArbiter: false };
const CASES: readonly [ClusterRuleId, string, ClusterFacts, 'success' | 'failure' | 'pending' | 'error'][] = [
  ['machine-cidr-defined', 'given', set({}), 'success'],
  ['machine-cidr-defined', 'missing', set(noNetworks), 'failure'],
  ['machine-cidr-defined', 'missing, no inventory', set(noNetworks, noInventories), 'pending'],
  ['machine-cidr-defined', 'user-managed', set(userManaged), 'success'],
  ['machine-cidr-defined', 'user-managed single node', set({ ...userManaged, controlPlaneCount: 1 }), 'failure'],
  ['cluster-cidr-defined', 'given', set({}), 'success'],
  ['cluster-cidr-defined', 'missing', set({ clusterNetworks: [] }), 'failure'],
  ['service-cidr-defined', 'given', set({}), 'success'],
  ['service-cidr-defined', 'missing', set({ serviceNetworks: [] }), 'failure'],
  ['dns-domain-defined', 'given', set({}), 'success'],
  ['dns-domain-defined', 'missing', set({ baseDnsDomain: '' }), 'failure'],
  ['pull-secret-set', 'set', set({}), 'success'],
  ['pull-secret-set', 'missing', set({ pullSecretSet: false }), 'failure'],
  ['api-vips-defined', 'given', set({}), 'success'],
  ['api-vips-defined', 'missing', set({ apiVips: [] }), 'failure'],
  ['api-vips-defined', 'user-managed', set(userManaged), 'success'],
  ['api-vips-defined', 'single node', set({ apiVips: [], controlPlaneCount: 1 }), 'success'],
  [
    'api-vips-defined',
    'DHCP without a machine network',
    set({ apiVips: [], vipDhcpAllocation: true, ...noNetworks }),
    'pending',
  ],
  ['api-vips-defined', 'DHCP without an allocated address', set({ apiVips: [], vipDhcpAllocation: true }), 'failure'],
  ['ingress-vips-defined', 'given', set({}), 'success'],
  ['ingress-vips-defined', 'missing', set({ ingressVips: [] }), 'failure'],
  ['api-vips-valid', 'free', set({}), 'success'],
  ['api-vips-valid', 'taken', set({}, { vipVerifications: answers('failed') }), 'failure'],
  ['api-vips-valid', 'not verified', set({}, { vipVerifications: [] }), 'pending'],
  ['api-vips-valid', 'verified without a result', set({}, { vipVerifications: answers('unverified') }), 'pending'],
  ['api-vips-valid', 'outside', set({ apiVips: ['10.0.0.9'] }), 'failure'],
  ['api-vips-valid', 'broadcast', set({ apiVips: ['192.168.128.255'] }), 'failure'],
  ['api-vips-valid', 'no VIP', set({ apiVips: [] }), 'pending'],
  ['api-vips-valid', 'no machine network', set(noNetworks), 'pending'],
  ['api-vips-valid', 'no inventory', set({}, noInventories), 'pending'],
  ['api-vips-valid', 'user-managed', set(userManaged), 'success'],
  [
    'api-vips-valid',
    'user-managed load balancer uses the address',
    set(balanced, { vipVerifications: answers('failed') }),
    'success',
  ],
  [
    'api-vips-valid',
    'user-managed load balancer in the second network',
    set({ ...balanced, machineNetworks: ['10.0.0.0/24', '192.168.128.0/24'] }),
    'success',
  ],
  [
    'api-vips-valid',
    'user-managed load balancer outside of the networks',
    set({ ...balanced, apiVips: ['10.0.0.9'] }),
    'failure',
  ],
  [
    'api-vips-valid',
    'second family in the wrong network',
    set({ apiVips: ['192.168.128.100', 'fd00::9'], machineNetworks: ['192.168.128.0/24', 'fd01::/64'] }),
    'failure',
  ],
  ['ingress-vips-valid', 'free', set({}), 'success'],
  ['ingress-vips-valid', 'taken', set({}, { vipVerifications: answers('failed') }), 'failure'],
  ['ingress-vips-valid', 'no VIP', set({ ingressVips: [] }), 'pending'],
  ['machine-cidr-equals-to-calculated-cidr', 'equal', set({}), 'success'],
  ['machine-cidr-equals-to-calculated-cidr', 'another', set({ machineNetworks: ['192.168.0.0/16'] }), 'failure'],
  ['machine-cidr-equals-to-calculated-cidr', 'no machine network yet', set(noNetworks), 'success'],
  [
    'machine-cidr-equals-to-calculated-cidr',
    'no host in the network of the VIP',
    set({ apiVips: ['10.0.0.9'], ingressVips: [] }),
    'failure',
  ],
  ['machine-cidr-equals-to-calculated-cidr', 'derived from the ingress VIP', set({ apiVips: ['10.0.0.9'] }), 'success'],
  ['machine-cidr-equals-to-calculated-cidr', 'no VIPs', set({ apiVips: [] }), 'pending'],
  ['machine-cidr-equals-to-calculated-cidr', 'no inventory', set({}, noInventories), 'pending'],
  [
    'machine-cidr-equals-to-calculated-cidr',
    'user-managed load balancer',
    set({ ...balanced, machineNetworks: ['10.0.0.0/8'] }),
    'success',
  ],
  ['no-cidrs-overlapping', 'apart', set({}), 'success'],
  ['no-cidrs-overlapping', 'cluster and service', set({ serviceNetworks: ['10.129.0.0/16'] }), 'failure'],
  ['no-cidrs-overlapping', 'cluster and machine', set({ machineNetworks: ['10.129.0.0/24'] }), 'failure'],
  [
    'no-cidrs-overlapping',
    'networks with different indexes',
    set({ ...balanced, machineNetworks: ['192.168.128.0/24', '10.129.0.0/24'] }),
    'failure',
  ],
  [
    'no-cidrs-overlapping',
    'machine network given and not needed',
    set({ ...userManaged, machineNetworks: ['10.129.0.0/24'] }),
    'failure',
  ],
  [
    'no-cidrs-overlapping',
    'different numbers of networks',
    set({ serviceNetworks: ['172.30.0.0/16', 'fd02::/112'] }),
    'error',
  ],
  ['no-cidrs-overlapping', 'no machine network', set(noNetworks), 'pending'],
  ['no-cidrs-overlapping', 'no machine network needed', set({ ...userManaged, machineNetworks: [] }), 'success'],
  ['network-prefix-valid', 'room', set({}), 'success'],
  ['network-prefix-valid', 'subnets for 4 hosts', set(net('10.128.0.0/21', 23)), 'success'],
  ['network-prefix-valid', 'subnets for 2 hosts', set(net('10.128.0.0/22', 23)), 'failure'],
  [
    'network-prefix-valid',
    'subnet for 1 host on a single node',
    set({ controlPlaneCount: 1, ...net('10.128.0.0/23', 23) }),
    'success',
  ],
  ['network-prefix-valid', 'fewer subnets than hosts', set(net('10.128.0.0/21', 23), { hosts: masters(5) }), 'failure'],
  ['network-prefix-valid', 'host prefix 0', set(net('10.128.0.0/14', 0)), 'failure'],
  ['network-prefix-valid', 'host prefix 25', set(net('10.128.0.0/14', 25)), 'success'],
  ['network-prefix-valid', 'host prefix 26', set(net('10.128.0.0/14', 26)), 'failure'],
  ['network-prefix-valid', 'with host bits', set(net('10.128.0.1/14', 23)), 'failure'],
  [
    'network-prefix-valid',
    'other network types have their own prefix',
    set({ ...net('10.128.0.0/22', 0), networkType: 'Calico' }),
    'success',
  ],
  ['network-prefix-valid', 'no cluster network', set({ clusterNetworks: [] }), 'pending'],
  ['network-type-valid', 'OVN', set({}), 'success'],
  ['network-type-valid', 'not set', set({ networkType: '' }), 'success'],
  ['network-type-valid', 'unknown', set({ networkType: 'Token Ring' }), 'failure'],
  [
    'network-type-valid',
    'SDN with IPv6',
    set({ networkType: 'OpenShiftSDN', machineNetworks: ['fd00::/64'] }),
    'failure',
  ],
  ['network-type-valid', 'SDN on a single node', set({ networkType: 'OpenShiftSDN', controlPlaneCount: 1 }), 'failure'],
  ['network-type-valid', 'OVN with DHCP', set({ vipDhcpAllocation: true }), 'failure'],
  ['networks-same-address-families', 'same', set({}), 'success'],
  [
    'networks-same-address-families',
    'machine network of another family',
    set({ machineNetworks: ['fd00::/64'] }),
    'failure',
  ],
  [
    'networks-same-address-families',
    'two service networks of one family',
    set({ serviceNetworks: ['172.30.0.0/16', '172.31.0.0/16'] }),
    'failure',
  ],
  [
    'networks-same-address-families',
    'dual stack in another order',
    set({
      clusterNetworks: [
        { cidr: 'fd01::/48', hostPrefix: 64 },
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
      ],
      serviceNetworks: ['172.30.0.0/16', 'fd02::/112'],
      machineNetworks: ['192.168.128.0/24', 'fd00::/64'],
    }),
    'success',
  ],
  ['networks-same-address-families', 'machine network not needed', set(userManaged), 'success'],
  ['networks-same-address-families', 'no machine network', set(noNetworks), 'pending'],
  ['all-hosts-are-ready-to-install', 'known', set({}), 'success'],
  [
    'all-hosts-are-ready-to-install',
    'one host is insufficient',
    set({}, { hosts: hosts({}, { status: 'insufficient' }) }),
    'failure',
  ],
  [
    'all-hosts-are-ready-to-install',
    'preparing',
    set({}, { hosts: hosts({ status: 'preparing-for-installation' }, { status: 'preparing-successful' }) }),
    'success',
  ],
  ['sufficient-masters-count', '3 of 3', set({}), 'success'],
  ['sufficient-masters-count', '2 of 3', set({}, { hosts: masters(2) }), 'failure'],
  ['sufficient-masters-count', '4 of 3', set({}, { hosts: masters(4) }), 'failure'],
  ['sufficient-masters-count', 'without roles', set({}, { hosts: hosts(auto, auto, auto, auto) }), 'success'],
  [
    'sufficient-masters-count',
    'without roles, insufficient hosts',
    set({}, { hosts: hosts(auto, auto, weak, weak) }),
    'failure',
  ],
  ['sufficient-masters-count', 'single node', set({ controlPlaneCount: 1 }, { hosts: masters(1) }), 'success'],
  [
    'sufficient-masters-count',
    'single node and a worker',
    set({ controlPlaneCount: 1 }, { hosts: [...masters(1), ...hosts({ role: 'worker' })] }),
    'failure',
  ],
  [
    'sufficient-masters-count',
    'two control plane hosts and an arbiter',
    set({ controlPlaneCount: 2 }, { hosts: [...masters(2), ...hosts({ role: 'arbiter' })] }),
    'success',
  ],
  [
    'sufficient-masters-count',
    'two control plane hosts',
    set({ controlPlaneCount: 2 }, { hosts: masters(2) }),
    'failure',
  ],
  [
    'sufficient-masters-count',
    'two control plane hosts with fencing',
    set({ controlPlaneCount: 2 }, { hosts: hosts({ hasFencingCredentials: true }, { hasFencingCredentials: true }) }),
    'success',
  ],
  ['ntp-server-configured', 'in step', set({}), 'success'],
  ['ntp-server-configured', '299 s', clocks(-100, 199), 'success'],
  ['ntp-server-configured', '300 s', clocks(-100, 200), 'failure'],
  ['ntp-server-configured', 'one clock unknown', clocks(0, undefined), 'success'],
  [
    'ntp-server-configured',
    'one host disconnected',
    sampleCluster({ hosts: hosts({}, { clockOffsetSeconds: 900, status: 'disconnected' }) }),
    'success',
  ],
  ['custom-manifests-requirements-satisfied', 'network type of OpenShift', set({}), 'success'],
  ['custom-manifests-requirements-satisfied', 'without', set({ networkType: 'Cilium' }), 'failure'],
  [
    'custom-manifests-requirements-satisfied',
    'with',
    set({ networkType: 'Cilium', hasCustomManifest: true }),
    'success',
  ],
  ['platform-requirements-satisfied', 'bare metal', set({}), 'success'],
  [
    'platform-requirements-satisfied',
    'OCI without a manifest',
    set({ platformType: 'external', externalPlatformName: 'oci' }),
    'failure',
  ],
  [
    'platform-requirements-satisfied',
    'OCI with a manifest',
    set({ platformType: 'external', externalPlatformName: 'oci', hasCustomManifest: true }),
    'success',
  ],
  [
    'openshift-ai-gpu-requirements-satisfied',
    'selected without a GPU operator',
    set({ operators: ['openshift-ai'] }),
    'success',
  ],
  ['odf-requirements-satisfied', 'not selected', set({}), 'success'],
  ['odf-requirements-satisfied', 'selected, no disks for the operator', set({ operators: ['odf'] }), 'failure'],
  [
    'loki-requirements-satisfied',
    'an old release',
    set({ operators: ['loki'], openshiftVersion: '4.16.9' }),
    'failure',
  ],
  ['kmm-requirements-satisfied', 'requires nothing of the cluster', set({ operators: ['kmm'] }), 'success'],
];

describe('cluster rules', () => {
  it.each(CASES)('%s: %s', (id, _case, facts, status) => {
    expect(statusOf(id, facts)).toBe(status);
  });

  it('have at least one passing and one failing case each', () => {
    const seen = (id: string, ...statuses: readonly string[]): boolean =>
      CASES.some(([other, , , status]) => other === id && statuses.includes(status));
    const own = CLUSTER_RULES.filter(({ category }) => category !== 'operators').map(({ id }) => id);
    expect(own.filter((id) => !seen(id, 'success') || !seen(id, 'failure'))).toEqual([]);
    const needy = CLUSTER_RULES.filter(({ needs }) => needs.length > 0).map(({ id }) => id);
    expect(needy.filter((id) => !seen(id, 'pending'))).toEqual([]);
  });
});
