import { OPERATOR_NAMES } from '@muster/operators';
import type { HostFacts } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleNic } from '../facts/sample.facts';
import { operatorRuleId } from '../rule/contract-ids';
import { type Outcome, SUPPRESSED } from '../rule/rule';
import { isReplaceableAgent } from './agent.rules';
import { cl, given, vmware } from './hardware-cases.fixture.spec';
import { evaluateHost, HOST_RULES, renderHostOutcome } from './host-rules.table';

function found(id: string, facts: HostFacts): Outcome {
  const outcome = evaluateHost(facts).find((one) => one.id === id);
  if (!outcome) throw new Error(`${id} has no outcome.`);
  return outcome;
}
const DAY_2 = { kind: 'AddToExistingClusterHost' } as const;
const STEP = new Map([['connectivity-check', 'The program is not installed.']]);

describe('the table of host rules', () => {
  it('has no outcome of these rules for a host without a cluster', () => {
    const bound = HOST_RULES.filter(({ boundOnly }) => boundOnly).map(({ id }) => id);
    expect(bound.sort()).toEqual(
      [
        'api-domain-name-resolved-correctly',
        'api-int-domain-name-resolved-correctly',
        'apps-domain-name-resolved-correctly',
        'belongs-to-machine-cidr',
        'belongs-to-majority-group',
        'compatible-with-cluster-platform',
        'disk-encryption-requirements-satisfied',
        'dns-wildcard-not-configured',
        'hostname-unique',
        'machine-cidr-defined',
        'mtu-valid',
        'no-ip-collisions-in-network',
        'no-iscsi-nic-belongs-to-machine-cidr',
        'non-overlapping-subnets',
        'sufficient-network-latency-requirement-for-role',
        'sufficient-packet-loss-requirement-for-role',
        'valid-platform-network-settings',
        'vsphere-disk-uuid-enabled',
        ...OPERATOR_NAMES.map(operatorRuleId),
      ].sort(),
    );
  });

  it('requires a stable success of measurements that flap', () => {
    expect(
      HOST_RULES.filter(({ mayFlap }) => mayFlap)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([
      'api-domain-name-resolved-correctly',
      'api-int-domain-name-resolved-correctly',
      'apps-domain-name-resolved-correctly',
      'belongs-to-majority-group',
      'connected',
      'disk-encryption-requirements-satisfied',
      'dns-wildcard-not-configured',
      'has-default-route',
      'ignition-downloadable',
      'media-connected',
      'mtu-valid',
      'no-ip-collisions-in-network',
      'ntp-synced',
      'sufficient-network-latency-requirement-for-role',
      'sufficient-packet-loss-requirement-for-role',
      'time-synced-between-host-and-service',
    ]);
  });

  it('names the step that measures', () => {
    const measured = HOST_RULES.filter(({ measuredBy }) => measuredBy).map(({ id, measuredBy }) => [id, measuredBy]);
    expect(Object.fromEntries(measured)).toEqual({
      'api-domain-name-resolved-correctly': 'domain-resolution',
      'api-int-domain-name-resolved-correctly': 'domain-resolution',
      'apps-domain-name-resolved-correctly': 'domain-resolution',
      'belongs-to-majority-group': 'connectivity-check',
      'container-images-available': 'container-image-availability',
      'dns-wildcard-not-configured': 'domain-resolution',
      'ignition-downloadable': 'api-vip-connectivity-check',
      'mtu-valid': 'connectivity-check',
      'no-ip-collisions-in-network': 'connectivity-check',
      'ntp-synced': 'ntp-synchronizer',
      'sufficient-installation-disk-speed': 'installation-disk-speed-check',
      'sufficient-network-latency-requirement-for-role': 'connectivity-check',
      'sufficient-packet-loss-requirement-for-role': 'connectivity-check',
    });
  });
});

describe('the validation', () => {
  it.each([
    ['FC', 'failure'],
    ['RAID', 'success'],
    ['iSCSI', 'success'],
  ])('of VMware disks requires a UUID of drive type %s: %s', (driveType, status) => {
    expect(found('vsphere-disk-uuid-enabled', vmware(false, driveType)).status).toBe(status);
  });

  it.each(['FC', 'ECKD', 'ECKD (ESE)', 'FBA'])('of VMware disks requires a UUID of %s on s390x', (driveType) => {
    const disks = [sampleDisk({ driveType, hasUuid: false })];
    const hardware = sampleHardware({ manufacturer: 'VMware, Inc.', cpuArchitecture: 's390x', disks });
    expect(found('vsphere-disk-uuid-enabled', given({ hardware })).status).toBe('failure');
  });

  it.each([
    ['nutanix', '', 'Red Hat', 'failure'],
    ['external', 'oci', 'OracleCloud.com', 'success'],
    ['external', 'other', 'Red Hat', 'success'],
    ['none', '', 'Red Hat', 'success'],
  ])('of platform %s %s on a machine of %s: %s', (platformType, externalPlatformName, manufacturer, status) => {
    const facts = cl({ platformType, externalPlatformName }, { hardware: sampleHardware({ manufacturer }) });
    expect(found('compatible-with-cluster-platform', facts).status).toBe(status);
  });

  it.each(['arm64', 'aarch64'])('of the agent knows the executable for %s', (architecture) => {
    const policy = { agentImage: 'muster-host:2', agentArchitectures: ['aarch64'] };
    expect(isReplaceableAgent('muster-host:1', policy, architecture)).toBe(true);
    expect(isReplaceableAgent('muster-host:1', { ...policy, agentArchitectures: ['x86_64'] }, architecture)).toBe(
      false,
    );
  });

  it('of the images accepts 0.001 MB/s, and names those that cannot be pulled', () => {
    const image = (name: string, changes: object = {}) => ({
      name,
      sizeBytes: 1,
      seconds: 1,
      downloadRateMbps: 0.001,
      result: 'success',
      ...changes,
    });
    const images = [image('a'), image('b', { result: 'failure' }), image('c', { downloadRateMbps: 0.0009 })];
    expect(found('container-images-available', given({ images: images.slice(0, 1) })).status).toBe('success');
    expect(renderHostOutcome(found('container-images-available', given({ images }))).measured).toBe('b, c');
  });

  it.each(['', 'none'])('of the inventory accepts truncation "%s" of older and newer agents', (truncation) => {
    const facts = given({ hardware: sampleHardware({ truncation }) });
    expect(found('inventory-not-partially-truncated', facts).status).toBe('success');
  });

  it('of the NTP sources does not apply after the reboot', () => {
    expect(found('ntp-synced', given({ stage: 'Rebooting', ntpSources: [] })).status).toBe(SUPPRESSED);
  });

  it('of an iSCSI disk reads all addresses of the interface, and all machine networks', () => {
    const disks = [sampleDisk({ driveType: 'iSCSI', iscsiHostIpAddress: '10.9.0.5' })];
    const status = (...ipv4Addresses: string[]) =>
      found(
        'no-iscsi-nic-belongs-to-machine-cidr',
        cl(
          { machineNetworks: ['192.168.128.0/24', '192.168.129.0/24'] },
          { hardware: sampleHardware({ disks, nics: [sampleNic({ ipv4Addresses })] }) },
        ),
      ).status;
    expect([status('10.9.0.5/24'), status('10.9.0.5/24', '192.168.129.7/24')]).toEqual(['success', 'failure']);
  });

  it('of the encryption names the version of the TPM', () => {
    const encrypted = { diskEncryption: { enableOn: 'all', mode: 'tpmv2' } };
    const of = (tpmVersion: string) =>
      found('disk-encryption-requirements-satisfied', cl(encrypted, { hardware: sampleHardware({ tpmVersion }) }));
    expect([of('1.2').parameters, of('').parameters, of('2.0').parameters]).toEqual([
      ['1.2', '2.0'],
      ['none', '2.0'],
      [],
    ]);
  });

  it('of the encryption fails for an installed cluster with another kind, also on a host with a TPM', () => {
    const facts = given({ ...DAY_2, workerEncryption: 'other', hardware: sampleHardware({ tpmVersion: '2.0' }) });
    expect(found('disk-encryption-requirements-satisfied', facts)).toMatchObject({
      status: 'failure',
      reason: 'unsupported',
    });
  });

  it('of the encryption waits for the inventory', () => {
    const facts = cl({ diskEncryption: { enableOn: 'all', mode: 'tpmv2' } }, { hardware: undefined });
    expect(found('disk-encryption-requirements-satisfied', facts)).toMatchObject({ reason: 'awaits-inventory' });
  });

  it('of the name fails without an inventory, also when the user has set a name', () => {
    const facts = given({ hardware: undefined, requestedHostname: 'node-1' });
    expect(found('hostname-valid', facts)).toMatchObject({ status: 'failure', reason: 'unknown' });
  });

  it.each([
    [5, 'ens3 to 10.0.0.0, ens3 to 10.0.0.1, ens3 to 10.0.0.2, ens3 to 10.0.0.3, ens3 to 10.0.0.4'],
    [7, 'ens3 to 10.0.0.0, ens3 to 10.0.0.1, ens3 to 10.0.0.2, ens3 to 10.0.0.3, ens3 to 10.0.0.4 and 2 more'],
  ])('of the MTU lists the first of %d failures', (count, listed) => {
    const mtuFailures = Array.from({ length: count }, (_, at) => ({ nic: 'ens3', remoteAddress: `10.0.0.${at}` }));
    const facts = cl({ userManagedNetworking: true, platformType: 'none' }, { mtuFailures });
    expect(renderHostOutcome(found('mtu-valid', facts)).measured).toBe(listed);
  });

  it('of the MTU waits for the inventory, which has the addresses of the interfaces', () => {
    expect(found('mtu-valid', given({ hardware: undefined, mtuFailures: [] })).reason).toBe('awaits-inventory');
  });
});

describe('the connectivity of a host', () => {
  const isolated = {
    majority: { groups: [], reachedFamilies: [], unreachedFamilies: [], hasEnoughHosts: true, awaitsReports: false },
  };
  const of = (changes: object) => found('belongs-to-majority-group', { ...given(), ...isolated, ...changes });

  it('is compared with its last report while its check fails', () => {
    expect(of({ failedSteps: STEP })).toMatchObject({ status: 'failure', parameters: ['192.168.128.0/24'] });
  });

  it('of a silent host is that in the groups of the others, although its last check failed', () => {
    expect(of({ failedSteps: STEP, isReachReported: false, isSilent: true })).toMatchObject({
      status: 'failure',
      parameters: ['192.168.128.0/24'],
    });
  });

  it.each([
    ['is added on day 2', DAY_2, {}],
    ['is in a cluster that receives more hosts', {}, { kind: 'AddHostsCluster' }],
  ])('is not checked when the host %s', (_case, host, cluster) => {
    const facts = cl(cluster, {
      ...isolated,
      ...host,
      weakPeers: [],
      collidingAddresses: ['192.168.128.10'],
    } as object);
    for (const id of [
      'belongs-to-majority-group',
      'sufficient-network-latency-requirement-for-role',
      'sufficient-packet-loss-requirement-for-role',
      'no-ip-collisions-in-network',
    ])
      expect(found(id, facts)).toMatchObject({ status: 'success', reason: 'day-2' });
  });

  it('waits for the inventory', () => {
    const facts = given({ hardware: undefined });
    expect(found('sufficient-network-latency-requirement-for-role', facts).reason).toBe('awaits-inventory');
    expect(found('sufficient-packet-loss-requirement-for-role', facts).reason).toBe('awaits-inventory');
    expect(found('belongs-to-majority-group', facts).reason).toBe('awaits-inventory');
  });

  it('lists the worst peers by name with their unit', () => {
    const peer = (name: string, latencyMs: number, packetLossPercent: number) => ({
      name,
      role: 'master',
      latencyMs,
      packetLossPercent,
    });
    const facts = given({ weakPeers: [peer('c', 200, 1), peer('b', 300, 2), peer('a', 200, 2)] });
    const measured = (id: string) => renderHostOutcome(found(id, facts)).message;
    expect(measured('sufficient-network-latency-requirement-for-role')).toBe(
      'Network latency is too high: b 300 ms, a 200 ms, c 200 ms, at most 100 ms is allowed',
    );
    expect(measured('sufficient-packet-loss-requirement-for-role')).toBe(
      'Packet loss is too high: a 2 %, b 2 %, c 1 %, at most 0 % is allowed',
    );
  });
});

describe('an interface with several addresses', () => {
  it('loses packets only where both ends are in a machine network', () => {
    const nics = [sampleNic({ name: 'bond0.100', ipv4Addresses: ['10.9.0.5/24'] }), sampleNic()];
    const failing = (nic: string, remoteAddress: string) =>
      found('mtu-valid', given({ hardware: sampleHardware({ nics }), mtuFailures: [{ nic, remoteAddress }] })).status;
    expect([
      failing('bond0.100', '192.168.128.11'),
      failing('bond0.100', '10.9.0.6'),
      failing(sampleNic().name, '192.168.128.11'),
    ]).toEqual(['success', 'success', 'failure']);
  });
});
