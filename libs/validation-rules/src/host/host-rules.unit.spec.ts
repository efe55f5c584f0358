import type { HostFacts } from '../facts/host.facts';
import { sampleHardware, sampleNic, sampleUnboundHost } from '../facts/sample.facts';
import type { Hardware } from '../hardware/hardware';
import { type Outcome, SUPPRESSED } from '../rule/rule';
import { evaluateHost, HOST_RULES, renderHostOutcome } from './host-rules.table';
import { NETWORK_CASES } from './network-cases.fixture.spec';
import { HARDWARE_CASES, MIB, given, hw, cl, noInventory } from './hardware-cases.fixture.spec';

const outcome = (id: string, facts: HostFacts): Outcome | undefined => evaluateHost(facts).find((one) => one.id === id);
const nics = (...addresses: readonly string[]): Hardware['nics'] =>
  addresses.map((address, at) =>
    address.includes(':')
      ? sampleNic({ name: `ens${at}`, ipv4Addresses: [], ipv6Addresses: [address] })
      : sampleNic({ name: `ens${at}`, ipv4Addresses: [address] }),
  );
const day2Cluster = { kind: 'AddHostsCluster' };
const image = (changes: object): HostFacts =>
  given({
    images: [{ name: 'release', sizeBytes: 1, seconds: 1, downloadRateMbps: 1, result: 'success', ...changes }],
  });
const NAME_AND_NETWORK_CASES: typeof HARDWARE_CASES = [
  ['hostname-unique', 'unique', given(), 'success'],
  ['hostname-unique', 'shared', given({ hasDuplicateName: true }), 'failure'],
  ['hostname-unique', 'no inventory', noInventory, 'pending'],
  ['hostname-unique', 'unbound', sampleUnboundHost({ hasDuplicateName: true }), 'none'],
  ['hostname-valid', 'plain', given(), 'success'],
  ['hostname-valid', 'with a domain', given({ requestedHostname: 'node-1.example.com' }), 'success'],
  ['hostname-valid', '63 characters', given({ requestedHostname: 'a'.repeat(63) }), 'success'],
  ['hostname-valid', '64 characters', given({ requestedHostname: 'a'.repeat(64) }), 'failure'],
  ['hostname-valid', 'upper case', given({ requestedHostname: 'Node' }), 'failure'],
  ['hostname-valid', 'loopback', hw({ hostname: 'localhost' }), 'failure'],
  ['hostname-valid', 'loopback domain', hw({ hostname: 'localhost6.localdomain6' }), 'failure'],
  ['hostname-valid', 'no inventory', noInventory, 'failure'],
  ['compatible-with-cluster-platform', 'bare metal', given(), 'success'],
  ['compatible-with-cluster-platform', 'vsphere on KVM', cl({ platformType: 'vsphere' }), 'failure'],
  [
    'compatible-with-cluster-platform',
    'vsphere on VMware',
    cl({ platformType: 'vsphere' }, { hardware: sampleHardware({ manufacturer: 'VMware, Inc.' }) }),
    'success',
  ],
  [
    'compatible-with-cluster-platform',
    'nutanix on Nutanix',
    cl({ platformType: 'nutanix' }, { hardware: sampleHardware({ manufacturer: 'Nutanix' }) }),
    'success',
  ],
  ['compatible-with-cluster-platform', 'generic external', cl({ platformType: 'external' }), 'success'],
  [
    'compatible-with-cluster-platform',
    'OCI on another machine',
    cl({ platformType: 'external', externalPlatformName: 'oci' }),
    'failure',
  ],
  ['compatible-with-cluster-platform', 'no platform', cl({ platformType: '' }), 'pending'],
  ['compatible-with-cluster-platform', 'no inventory', noInventory, 'pending'],
  ['compatible-with-cluster-platform', 'unbound', sampleUnboundHost(), 'none'],
  ['valid-platform-network-settings', 'not OpenStack', given(), 'success'],
  ['valid-platform-network-settings', 'OpenStack', hw({ productName: 'OpenStack Compute' }), 'failure'],
  [
    'valid-platform-network-settings',
    'OpenStack, user-managed',
    cl({ userManagedNetworking: true }, { hardware: sampleHardware({ productName: 'OpenStack Compute' }) }),
    'success',
  ],
  ['valid-platform-network-settings', 'no vendor in the inventory', hw({ hasVendor: false, productName: '' }), 'error'],
  [
    'valid-platform-network-settings',
    'a vendor without product name',
    hw({ hasVendor: true, productName: '' }),
    'success',
  ],
  ['valid-platform-network-settings', 'no inventory', noInventory, 'pending'],
  ['machine-cidr-defined', 'given', given(), 'success'],
  ['machine-cidr-defined', 'missing', cl({ machineNetworks: [] }), 'failure'],
  ['machine-cidr-defined', 'user-managed', cl({ machineNetworks: [], userManagedNetworking: true }), 'success'],
  ['machine-cidr-defined', 'day 2', cl({ machineNetworks: [], ...day2Cluster }), 'success'],
  ['machine-cidr-defined', 'unbound', sampleUnboundHost(), 'none'],
  ['belongs-to-machine-cidr', 'inside', given(), 'success'],
  ['belongs-to-machine-cidr', 'outside', hw({ nics: nics('10.0.0.5/24') }), 'failure'],
  [
    'belongs-to-machine-cidr',
    'in one of two networks',
    cl({ machineNetworks: ['192.168.128.0/24', 'fd00::/64'] }),
    'failure',
  ],
  [
    'belongs-to-machine-cidr',
    'in one of two networks, user-managed load balancer',
    cl({ machineNetworks: ['192.168.128.0/24', '10.0.0.0/24'], loadBalancerType: 'user-managed' }),
    'success',
  ],
  [
    'belongs-to-machine-cidr',
    'user-managed',
    cl({ userManagedNetworking: true, machineNetworks: ['10.0.0.0/8'] }),
    'success',
  ],
  [
    'belongs-to-machine-cidr',
    'bootstrap host with user-managed networking',
    cl({ userManagedNetworking: true, machineNetworks: ['10.0.0.0/8'] }, { isBootstrap: true }),
    'failure',
  ],
  ['belongs-to-machine-cidr', 'day 2', cl({ machineNetworks: ['10.0.0.0/8'], ...day2Cluster }), 'success'],
  ['belongs-to-machine-cidr', 'no machine network', cl({ machineNetworks: [] }), 'pending'],
  ['belongs-to-machine-cidr', 'no inventory', noInventory, 'pending'],
  ['has-default-route', 'there', given(), 'success'],
  [
    'has-default-route',
    'IPv6',
    hw({ routes: [{ interface: 'e', gateway: 'fe80::1', destination: '::', family: 10, metric: 1 }] }),
    'success',
  ],
  [
    'has-default-route',
    'without a gateway',
    hw({ routes: [{ interface: 'e', gateway: '', destination: '0.0.0.0', family: 2, metric: 1 }] }),
    'failure',
  ],
  [
    'has-default-route',
    'gateway 0.0.0.0',
    hw({ routes: [{ interface: 'e', gateway: '0.0.0.0', destination: '0.0.0.0', family: 2, metric: 1 }] }),
    'failure',
  ],
  ['has-default-route', 'no routes', hw({ routes: [] }), 'failure'],
  ['has-default-route', 'no inventory', noInventory, 'pending'],
  ['non-overlapping-subnets', 'apart', hw({ nics: nics('10.0.0.5/24', '10.0.1.5/24') }), 'success'],
  ['non-overlapping-subnets', 'a subnet inside another', hw({ nics: nics('10.0.0.5/16', '10.0.1.5/24') }), 'failure'],
  [
    'non-overlapping-subnets',
    'the same subnet on two interfaces',
    hw({ nics: nics('10.0.0.5/24', '10.0.0.6/24') }),
    'failure',
  ],
  [
    'non-overlapping-subnets',
    'the same subnet twice on one interface',
    hw({ nics: [sampleNic({ ipv4Addresses: ['10.0.0.5/24', '10.0.0.6/24'] })] }),
    'success',
  ],
  [
    'non-overlapping-subnets',
    'of a family that the cluster does not use',
    hw({ nics: nics('fd00::1/64', 'fd00::2/64') }),
    'success',
  ],
  ['non-overlapping-subnets', 'no inventory', noInventory, 'pending'],
  ['ignition-downloadable', 'day 1', given(), 'none'],
  [
    'ignition-downloadable',
    'fetched',
    given({ kind: 'AddToExistingClusterHost', isIgnitionDownloaded: true }),
    'success',
  ],
  [
    'ignition-downloadable',
    'not downloaded',
    given({ kind: 'AddToExistingClusterHost', isIgnitionDownloaded: false }),
    'failure',
  ],
  ['ignition-downloadable', 'not requested', given({ kind: 'AddToExistingClusterHost' }), 'pending'],
  ['ntp-synced', 'synced', given(), 'success'],
  ['ntp-synced', 'not synced', given({ ntpSources: [{ sourceName: 'a', sourceState: 'unreachable' }] }), 'failure'],
  ['ntp-synced', 'no source', given({ ntpSources: [] }), 'failure'],
  ['ntp-synced', 'no report', given({ ntpSources: undefined }), 'pending'],
  ['ntp-synced', 'unbound without sources', sampleUnboundHost(), 'none'],
  ['ntp-synced', 'unbound with sources', sampleUnboundHost({ infraEnvHasNtpSources: true, ntpSources: [] }), 'failure'],
  ['time-synced-between-host-and-service', '20 minutes behind', given({ clockOffsetSeconds: -1200 }), 'success'],
  [
    'time-synced-between-host-and-service',
    'more than 20 minutes behind',
    given({ clockOffsetSeconds: -1201 }),
    'failure',
  ],
  ['time-synced-between-host-and-service', '60 minutes ahead', given({ clockOffsetSeconds: 3600 }), 'success'],
  [
    'time-synced-between-host-and-service',
    'more than 60 minutes ahead',
    given({ clockOffsetSeconds: 3601 }),
    'failure',
  ],
  ['time-synced-between-host-and-service', 'unknown', given({ clockOffsetSeconds: undefined }), 'pending'],
  ['compatible-agent', 'expected', given(), 'success'],
  ['compatible-agent', 'other', given({ agentVersion: 'other' }), 'failure'],
  ['compatible-agent', 'during the installation', given({ agentVersion: 'other', stage: 'Installing' }), 'none'],
  [
    'compatible-agent',
    'any agent accepted',
    given({ agentVersion: 'other', policy: { ...given().policy, agentImage: '' } }),
    'success',
  ],
  ['container-images-available', 'not pulled', given(), 'success'],
  ['container-images-available', 'pulled', image({}), 'success'],
  ['container-images-available', 'present without a rate', image({ sizeBytes: 0, downloadRateMbps: 0 }), 'success'],
  ['container-images-available', 'failed', image({ result: 'failure' }), 'failure'],
  ['container-images-available', 'too slow', image({ downloadRateMbps: 0.0009 }), 'failure'],
  ['lso-requirements-satisfied', 'not selected', given(), 'success'],
  ['lso-requirements-satisfied', 'selected', cl({ operators: ['lso'] }), 'success'],
  ['odf-requirements-satisfied', 'not selected', given(), 'success'],
  ['odf-requirements-satisfied', 'selected, no disk for the operator', cl({ operators: ['odf'] }), 'failure'],
  [
    'odf-requirements-satisfied',
    'selected, no inventory',
    cl({ operators: ['odf'] }, { hardware: undefined }),
    'pending',
  ],
  ['has-cpu-cores-for-role', 'too few cores with operators', cl({ operators: ['mce', 'lvm'] }), 'failure'],
  ['has-cpu-cores-for-role', 'enough cores with operators', cl({ operators: ['mce'] }), 'success'],
  [
    'has-cpu-cores-for-role',
    'operators are ignored on day 2',
    cl({ operators: ['mce', 'lvm'], ...day2Cluster }),
    'success',
  ],
  ['has-memory-for-role', 'too little memory with operators', cl({ operators: ['mce', 'cnv'] }), 'failure'],
  ['odf-requirements-satisfied', 'selected, day 2', cl({ operators: ['odf'], ...day2Cluster }), 'success'],
  ['odf-requirements-satisfied', 'unbound', sampleUnboundHost(), 'none'],
];
const CASES = [...HARDWARE_CASES, ...NAME_AND_NETWORK_CASES];
/** Returns the status of the rule's outcome, or none when the rule does not apply. */
function statusOf(id: string, facts: HostFacts): string {
  const status = outcome(id, facts)?.status ?? 'none';
  return status === SUPPRESSED ? 'none' : status;
}

describe('host rules', () => {
  it.each([
    ['ntp-synced', 'ntp-synchronizer', { ntpSources: undefined }, 'pending'],
    ['container-images-available', 'container-image-availability', { images: [] }, 'success'],
    ['sufficient-installation-disk-speed', 'installation-disk-speed-check', { diskSpeeds: [] }, 'success'],
    ['mtu-valid', 'connectivity-check', { mtuFailures: undefined }, 'pending'],
    ['sufficient-network-latency-requirement-for-role', 'connectivity-check', { isReachReported: false }, 'pending'],
    ['sufficient-packet-loss-requirement-for-role', 'connectivity-check', { isReachReported: false }, 'pending'],
    ['has-inventory', 'inventory', { hardware: undefined }, 'failure'],
    ['belongs-to-majority-group', 'connectivity-check', { isReachReported: false }, 'failure'],
    ['belongs-to-majority-group', 'connectivity-check', { isReachReported: false, majority: undefined }, 'failure'],
  ])('name in %s why the step %s could not run', (id, stepType, facts, status) => {
    const failedSteps = new Map([[stepType, 'The program is not installed.']]);
    const found = outcome(id, given({ ...facts, failedSteps }));
    expect(found).toMatchObject({ status, reason: 'step-failed' });
    expect(found && renderHostOutcome(found).message).toBe(
      `The host could not run the check ${stepType}: The program is not installed.`,
    );
    // A measurement of before stays.
    expect(outcome('ntp-synced', given({ failedSteps }))?.reason).not.toBe('step-failed');
  });

  it.each(CASES)('%s: %s', (id, _case, facts, status) => {
    expect(statusOf(id, facts)).toBe(status);
  });

  it('have at least one passing case and one failing or pending case each', () => {
    const seen = (id: string, ...statuses: readonly string[]): boolean =>
      [...CASES, ...NETWORK_CASES].some(([other, , , status]) => other === id && statuses.includes(status));
    const own = HOST_RULES.filter(({ category }) => category !== 'operators').map(({ id }) => id);
    expect(own.filter((id) => !seen(id, 'success') || !seen(id, 'failure', 'error'))).toEqual([]);
    const needy = HOST_RULES.filter(({ needs }) => needs.length > 0).map(({ id }) => id);
    expect(needy.filter((id) => !seen(id, 'pending'))).toEqual([]);
  });

  it('state the measured value, the requirement and the remedy', () => {
    const found = outcome('has-memory-for-role', hw({ physicalMemoryBytes: 8192 * MIB }));
    expect(found && renderHostOutcome(found)).toEqual({
      id: 'has-memory-for-role',
      status: 'failure',
      category: 'hardware',
      message: 'The host has 8192 MiB of memory, role master requires 16384 MiB',
      measured: '8192 MiB',
      required: '16384 MiB',
      remedy: expect.stringContaining('more memory'),
    });
  });

  it.each([
    [-1201, '1201 s behind'],
    [3601, '3601 s ahead of'],
  ])('state in which direction a clock differs by %d s', (clockOffsetSeconds, measured) => {
    const found = outcome('time-synced-between-host-and-service', given({ clockOffsetSeconds }));
    expect(found && renderHostOutcome(found).measured).toBe(measured);
  });

  it('do not depend on the installation disk before the inventory', () => {
    const of = (installationDiskId: string) => evaluateHost({ ...noInventory, installationDiskId });
    expect(of('/dev/sda')).toEqual(of(''));
  });

  it('are the same for each suggested role for which the hardware suffices', () => {
    expect(evaluateHost(given({ suggestedRole: 'worker' }))).toEqual(evaluateHost(given({ suggestedRole: 'master' })));
  });

  it('are disabled by configuration, unless the cluster ignores rules', () => {
    const policy = { ...given().policy, disabledHostRules: ['ntp-synced'] };
    expect(outcome('ntp-synced', given({ policy, ntpSources: [] }))?.status).toBe('disabled');
    const own = cl({ ignoredHostRules: ['mtu-valid'] }, { policy, ntpSources: [] });
    expect(outcome('ntp-synced', own)?.status).toBe('failure');
  });
});
