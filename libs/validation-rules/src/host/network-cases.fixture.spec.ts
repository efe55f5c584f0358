import { sampleDisk, sampleHardware, sampleHost, sampleNic, sampleSettings } from '../facts/sample.facts';
import type { HostFacts, MajorityFacts } from '../facts/host.facts';
import type { HostRuleId } from '../rule/contract-ids';

type Settings = Parameters<typeof sampleSettings>[0];
const given = sampleHost;
const cl = (changes: Settings, others: Partial<HostFacts> = {}): HostFacts =>
  given({ cluster: sampleSettings(changes), ...others });
const DAY_2: Partial<HostFacts> = { kind: 'AddToExistingClusterHost' };
const UMN = { userManagedNetworking: true };
const imported = { kind: 'AddHostsCluster', imported: true };
const majority = (changes: Partial<MajorityFacts> = {}): MajorityFacts => ({
  groups: [],
  reachedFamilies: [],
  unreachedFamilies: [4, 6],
  hasEnoughHosts: true,
  awaitsReports: false,
  ...changes,
});
export const peer = (role: string, latencyMs: number, packetLossPercent = 0): Partial<HostFacts> => ({
  weakPeers: [{ name: 'node-2', role, latencyMs, packetLossPercent }],
});
const answers = (changes: { readonly [domain: string]: readonly string[] }): Partial<HostFacts> => ({
  resolutions: (sampleHost().resolutions ?? []).map((one) => ({
    ...one,
    ipv4Addresses: [...(changes[one.domainName] ?? one.ipv4Addresses)],
  })),
});
const dualStack = { machineNetworks: ['192.168.128.0/24', 'fd00::/64'] };
const twoNetworks = { machineNetworks: ['192.168.128.0/24', '10.0.0.0/24'] };
/** A path loses packets of full size. The host has interface ens3 in the machine networks, and a storage interface. */
const lost = (settings: Settings, nic: string, remoteAddress: string): HostFacts =>
  cl(settings, {
    hardware: sampleHardware({
      nics: [
        sampleNic({ ipv6Addresses: ['fd00::10/64'] }),
        sampleNic({ name: 'storage', ipv4Addresses: ['10.0.0.5/24'], mtu: 9000 }),
      ],
    }),
    mtuFailures: [{ nic, remoteAddress }],
  });
const encrypted = (mode: string, enableOn = 'all'): Settings => ({ diskEncryption: { enableOn, mode } });
const tpm = (tpmVersion: string): Partial<HostFacts> => ({ hardware: sampleHardware({ tpmVersion }) });
const iscsi = (address: string, ...disks: readonly Parameters<typeof sampleDisk>[0][]): Partial<HostFacts> => ({
  hardware: sampleHardware({
    disks: (disks.length > 0 ? disks : [{}]).map((disk) =>
      sampleDisk({ driveType: 'iSCSI', iscsiHostIpAddress: address, ...disk }),
    ),
    nics: [sampleNic(), sampleNic({ name: 'ens4', ipv4Addresses: ['10.9.0.5/24'], ipv6Addresses: ['fd00:9::5/64'] })],
  }),
});
const dm0 = { driveType: 'Multipath', name: 'dm-0', iscsiHostIpAddress: '' };
const pathOf = (...holders: readonly string[]) => ({ id: '/dev/sdb', name: 'sdb', holders: holders.join() });
const ISCSI = 'no-iscsi-nic-belongs-to-machine-cidr';
const WILDCARD = 'validateNoWildcardDNS.c.example.com';

/** The expected status of network rules for hosts. `none`: the rule has no outcome for this host. */
export const NETWORK_CASES: readonly [
  HostRuleId,
  string,
  HostFacts,
  'success' | 'failure' | 'pending' | 'error' | 'none',
][] = [
  ['belongs-to-majority-group', 'in the group', given(), 'success'],
  ['belongs-to-majority-group', 'in no group', given({ majority: majority() }), 'failure'],
  [
    'belongs-to-majority-group',
    'in one of two groups',
    cl({ machineNetworks: ['192.168.128.0/24', 'fd00::/64'] }),
    'failure',
  ],
  ['belongs-to-majority-group', 'two hosts', given({ majority: majority({ hasEnoughHosts: false }) }), 'pending'],
  ['belongs-to-majority-group', 'no groups yet', given({ majority: undefined }), 'pending'],
  ['belongs-to-majority-group', 'no report yet', given({ majority: majority(), isReachReported: false }), 'pending'],
  [
    'belongs-to-majority-group',
    'silent while other hosts report',
    given({ majority: majority(), isReachReported: false, isSilent: true }),
    'failure',
  ],
  [
    'belongs-to-majority-group',
    'in no group, reports missing',
    given({ majority: majority({ awaitsReports: true }) }),
    'pending',
  ],
  ['belongs-to-majority-group', 'no machine network', cl({ machineNetworks: [] }), 'pending'],
  ['belongs-to-majority-group', 'single node', cl({ controlPlaneCount: 1 }, { majority: undefined }), 'success'],
  ['belongs-to-majority-group', 'day 2', given({ ...DAY_2, majority: undefined }), 'success'],
  ['belongs-to-majority-group', 'routed', cl(UMN, { majority: majority({ reachedFamilies: [4] }) }), 'success'],
  ['belongs-to-majority-group', 'disconnected on layer 3', cl(UMN, { majority: majority() }), 'failure'],
  [
    'belongs-to-majority-group',
    'disconnected on layer 3, reports missing',
    cl(UMN, { majority: majority({ awaitsReports: true }) }),
    'failure',
  ],
  [
    'belongs-to-majority-group',
    'reached by those that have reported',
    cl(UMN, { majority: majority({ unreachedFamilies: [6] }) }),
    'pending',
  ],
  [
    'belongs-to-majority-group',
    'user-managed load balancer, one family missing',
    cl(
      { loadBalancerType: 'user-managed', machineNetworks: ['192.168.128.0/24', 'fd00::/64'] },
      { majority: majority({ reachedFamilies: [4] }) },
    ),
    'failure',
  ],
  ['belongs-to-majority-group', 'no inventory', given({ hardware: undefined }), 'pending'],
  ['belongs-to-majority-group', 'unbound', given({ cluster: undefined }), 'none'],
  ['sufficient-network-latency-requirement-for-role', 'near', given(), 'success'],
  ['sufficient-network-latency-requirement-for-role', 'latency of 100 ms', given(peer('master', 100)), 'success'],
  ['sufficient-network-latency-requirement-for-role', 'above', given(peer('master', 100.1)), 'failure'],
  ['sufficient-network-latency-requirement-for-role', 'to another role', given(peer('worker', 500)), 'success'],
  [
    'sufficient-network-latency-requirement-for-role',
    'worker',
    given({ role: 'worker', ...peer('worker', 1000) }),
    'success',
  ],
  [
    'sufficient-network-latency-requirement-for-role',
    'slow worker',
    given({ role: 'worker', ...peer('worker', 1001) }),
    'failure',
  ],
  [
    'sufficient-network-latency-requirement-for-role',
    'no role',
    given({ suggestedRole: '', ...peer('auto-assign', 5e3) }),
    'success',
  ],
  [
    'sufficient-network-latency-requirement-for-role',
    'alone',
    given({ clusterHostCount: 1, isReachReported: false }),
    'success',
  ],
  ['sufficient-network-latency-requirement-for-role', 'no report', given({ isReachReported: false }), 'pending'],
  ['sufficient-network-latency-requirement-for-role', 'day 2', given({ ...DAY_2, ...peer('master', 5e3) }), 'success'],
  ['sufficient-packet-loss-requirement-for-role', 'no packet loss', given(), 'success'],
  ['sufficient-packet-loss-requirement-for-role', '1 % packet loss', given(peer('master', 1, 1)), 'failure'],
  [
    'sufficient-packet-loss-requirement-for-role',
    'worker with 10 % packet loss',
    given({ role: 'worker', ...peer('worker', 1, 10) }),
    'success',
  ],
  [
    'sufficient-packet-loss-requirement-for-role',
    'worker with 11 % packet loss',
    given({ role: 'worker', ...peer('worker', 1, 11) }),
    'failure',
  ],
  ['sufficient-packet-loss-requirement-for-role', 'no report', given({ isReachReported: false }), 'pending'],
  ['no-ip-collisions-in-network', 'no collision', given(), 'success'],
  ['no-ip-collisions-in-network', 'collision', given({ collidingAddresses: ['192.168.128.10'] }), 'failure'],
  ['no-ip-collisions-in-network', 'day 2', given({ ...DAY_2, collidingAddresses: ['192.168.128.10'] }), 'success'],
  ['api-domain-name-resolved-correctly', 'managed', given({ resolutions: undefined }), 'success'],
  ['api-domain-name-resolved-correctly', 'resolves', cl(UMN), 'success'],
  ['api-domain-name-resolved-correctly', 'does not resolve', cl(UMN, answers({ 'api.c.example.com': [] })), 'failure'],
  [
    'api-domain-name-resolved-correctly',
    'resolves to the host itself',
    cl(UMN, answers({ 'api.c.example.com': ['192.168.128.10'] })),
    'failure',
  ],
  [
    'api-domain-name-resolved-correctly',
    'resolves to the host itself on a single node',
    cl({ ...UMN, controlPlaneCount: 1 }, answers({ 'api.c.example.com': ['192.168.128.10'] })),
    'success',
  ],
  [
    'api-domain-name-resolved-correctly',
    'resolves to a host that is added to a single node',
    cl({ ...UMN, controlPlaneCount: 1 }, { ...DAY_2, ...answers({ 'api.c.example.com': ['192.168.128.10'] }) }),
    'failure',
  ],
  ['api-domain-name-resolved-correctly', 'no domain', cl({ ...UMN, baseDnsDomain: '' }), 'error'],
  ['api-domain-name-resolved-correctly', 'not resolved yet', cl(UMN, { resolutions: undefined }), 'error'],
  ['api-domain-name-resolved-correctly', 'imported, networking unknown', cl(imported, DAY_2), 'pending'],
  [
    'api-domain-name-resolved-correctly',
    'imported, managed networking',
    cl(imported, { ...DAY_2, workerNetworking: 'managed' }),
    'success',
  ],
  [
    'api-domain-name-resolved-correctly',
    'imported, user-managed networking',
    cl(imported, { ...DAY_2, workerNetworking: 'user-managed', ...answers({ 'api.c.example.com': [] }) }),
    'failure',
  ],
  [
    'api-int-domain-name-resolved-correctly',
    'does not resolve',
    cl(UMN, answers({ 'api-int.c.example.com': [] })),
    'failure',
  ],
  ['api-int-domain-name-resolved-correctly', 'resolves', cl(UMN), 'success'],
  ['apps-domain-name-resolved-correctly', 'resolves', cl(UMN), 'success'],
  [
    'apps-domain-name-resolved-correctly',
    'does not resolve',
    cl(UMN, answers({ 'console-openshift-console.apps.c.example.com': [] })),
    'failure',
  ],
  ['dns-wildcard-not-configured', 'none', given(), 'success'],
  ['dns-wildcard-not-configured', 'one', given(answers({ [`${WILDCARD}.`]: ['192.0.2.1'] })), 'failure'],
  [
    'dns-wildcard-not-configured',
    'wildcard through the search domain',
    given(answers({ [WILDCARD]: ['192.0.2.1'] })),
    'failure',
  ],
  ['dns-wildcard-not-configured', 'not resolved yet', given({ resolutions: undefined }), 'pending'],
  ['dns-wildcard-not-configured', 'other names resolved', given({ resolutions: [] }), 'error'],
  ['dns-wildcard-not-configured', 'day 2', given({ ...DAY_2, resolutions: undefined }), 'success'],
  ['disk-encryption-requirements-satisfied', 'not encrypted', given(), 'none'],
  ['disk-encryption-requirements-satisfied', 'another role', cl(encrypted('tpmv2', 'workers')), 'none'],
  ['disk-encryption-requirements-satisfied', 'TPM 2.0', cl(encrypted('tpmv2'), tpm('2.0')), 'success'],
  ['disk-encryption-requirements-satisfied', 'TPM 1.2', cl(encrypted('tpmv2', 'masters'), tpm('1.2')), 'failure'],
  [
    'disk-encryption-requirements-satisfied',
    'no role',
    cl(encrypted('tpmv2', 'masters'), { suggestedRole: '' }),
    'pending',
  ],
  ['disk-encryption-requirements-satisfied', 'no report about Tang servers', cl(encrypted('tang')), 'pending'],
  [
    'disk-encryption-requirements-satisfied',
    'Tang servers reached',
    cl(encrypted('tang'), { isTangReached: true }),
    'success',
  ],
  [
    'disk-encryption-requirements-satisfied',
    'Tang servers not reached',
    cl(encrypted('tang'), { isTangReached: false }),
    'failure',
  ],
  ['disk-encryption-requirements-satisfied', 'day 2, no Ignition config', given(DAY_2), 'none'],
  ['disk-encryption-requirements-satisfied', 'day 2, no report yet', cl(encrypted('tang'), DAY_2), 'pending'],
  [
    'disk-encryption-requirements-satisfied',
    'day 2, not encrypted',
    given({ ...DAY_2, workerEncryption: 'none' }),
    'none',
  ],
  [
    'disk-encryption-requirements-satisfied',
    'day 2, other encryption',
    given({ ...DAY_2, workerEncryption: 'other' }),
    'failure',
  ],
  [
    'disk-encryption-requirements-satisfied',
    'day 2, TPM',
    given({ ...DAY_2, workerEncryption: 'tpm2', ...tpm('2.0') }),
    'success',
  ],
  [ISCSI, 'no iSCSI', given(), 'none'],
  [ISCSI, 'a separate network', given(iscsi('10.9.0.5')), 'success'],
  [ISCSI, 'an address as the kernel writes it', given(iscsi('fd00:0009:0000:0000:0000:0000:0000:0005')), 'success'],
  [ISCSI, 'the machine network', given(iscsi('192.168.128.10')), 'failure'],
  [ISCSI, 'no interface with the address', given(iscsi('10.8.0.1')), 'error'],
  [ISCSI, 'no session', given(iscsi('')), 'error'],
  [ISCSI, 'multipath', given(iscsi('192.168.128.10', dm0, pathOf('dm-1', 'dm-0'))), 'failure'],
  [ISCSI, 'multipath of another disk', given(iscsi('192.168.128.10', dm0, pathOf('dm-1'))), 'none'],
  [ISCSI, 'no installation disk', given({ ...iscsi('192.168.128.10'), installationDiskId: '' }), 'none'],
  [ISCSI, 'user-managed', cl(UMN, iscsi('192.168.128.10')), 'none'],
  [ISCSI, 'no machine network', cl({ machineNetworks: [] }), 'pending'],
  ['mtu-valid', 'sound', given({ mtuFailures: [] }), 'success'],
  ['mtu-valid', 'lost', lost({}, 'ens3', '192.168.128.11'), 'failure'],
  ['mtu-valid', 'lost between storage addresses', lost({}, 'storage', '10.0.0.6'), 'success'],
  ['mtu-valid', 'lost from a storage interface', lost({}, 'storage', '192.168.128.11'), 'success'],
  ['mtu-valid', 'lost from a machine interface to storage', lost({}, 'ens3', '10.0.0.6'), 'success'],
  ['mtu-valid', 'lost in the second machine network', lost(dualStack, 'ens3', 'fd00::11'), 'failure'],
  ['mtu-valid', 'lost between two machine networks', lost(twoNetworks, 'ens3', '10.0.0.6'), 'success'],
  ['mtu-valid', 'lost without a machine network', lost({ machineNetworks: [] }, 'ens3', '192.168.128.11'), 'success'],
  ['mtu-valid', 'lost with user-managed networking', lost(UMN, 'a', '10.0.0.6'), 'failure'],
  [
    'mtu-valid',
    'lost with a user-managed load balancer',
    lost({ loadBalancerType: 'user-managed' }, 'a', '10.0.0.6'),
    'failure',
  ],
  ['mtu-valid', 'no report', given(), 'pending'],
  ['mtu-valid', 'day 2', given({ kind: 'AddToExistingClusterHost' }), 'success'],
  ['mtu-valid', 'single node', cl({ controlPlaneCount: 1 }), 'none'],
];
