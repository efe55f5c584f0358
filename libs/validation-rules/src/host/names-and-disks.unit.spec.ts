import type { HostFacts } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleHost, sampleNic, sampleSettings } from '../facts/sample.facts';
import type { HostRuleId } from '../rule/contract-ids';
import { SUPPRESSED } from '../rule/rule';
import { evaluateHost } from './host-rules.table';
import { isHostname } from './name.rules';

const statusOf = (id: HostRuleId, facts: Partial<HostFacts>): string | undefined =>
  evaluateHost(sampleHost(facts)).find((one) => one.id === id)?.status;
type Settings = Parameters<typeof sampleSettings>[0];
const USER_MANAGED: Settings = { userManagedNetworking: true, name: 'c', baseDnsDomain: 'example.com' };
type Answers = Partial<Omit<NonNullable<HostFacts['resolutions']>[number], 'domainName'>>;
const answers = (domainName: string, changes: Answers = {}) => ({
  domainName,
  ipv4Addresses: [],
  ipv6Addresses: [],
  cnames: [],
  ...changes,
});

describe('the name of a host', () => {
  it.each([
    [`${'a'.repeat(31)}.${'b'.repeat(31)}`, true],
    [`${'a'.repeat(32)}.${'b'.repeat(31)}`, false],
    ['localhost', false],
    ['localhost4', false],
    ['localhost6', false],
    ['localhost.localdomain', false],
    ['localhost4.localdomain4', false],
    ['localhost6.localdomain6', false],
    ['localhost5', true],
  ])('%s is valid: %s', (name, isValid) => {
    expect(isHostname(name)).toBe(isValid);
  });
});

describe('the API name of a cluster with user-managed networking', () => {
  const id = 'api-domain-name-resolved-correctly';
  const resolved = (changes: Answers, settings: Settings = {}, more: Partial<HostFacts> = {}) =>
    statusOf(id, {
      cluster: sampleSettings({ ...USER_MANAGED, ...settings }),
      resolutions: [answers('api.c.example.com', changes)],
      ...more,
    });
  const dual = sampleHardware({ nics: [sampleNic({ ipv6Addresses: ['fd00::5/64'] })] });
  const dnsmasq = { policy: { ...sampleHost().policy, singleNodeDnsmasq: true } };

  it.each([
    ['an IPv4 address', { ipv4Addresses: ['192.0.2.1'] }, 'success'],
    ['an IPv6 address', { ipv6Addresses: ['fd00::9'] }, 'success'],
    ['an alias', { cnames: ['lb.example.com'] }, 'success'],
    ['nothing', {}, 'failure'],
    ['the IPv6 address of the host', { ipv6Addresses: ['fd00::5'] }, 'failure'],
    ['the IPv4 address of the host', { ipv4Addresses: ['192.168.128.10'] }, 'failure'],
  ])('resolves to %s', (_, changes, status) => {
    expect(resolved(changes, {}, { hardware: dual })).toBe(status);
  });

  it('may be the address of a single node, and not that of a host that is added to it', () => {
    const own = { ipv4Addresses: ['192.168.128.10'] };
    expect(resolved(own, { controlPlaneCount: 1 })).toBe('success');
    expect(resolved(own, { controlPlaneCount: 1 }, { kind: 'AddToExistingClusterHost' })).toBe('failure');
  });

  it('is served by a single node with dnsmasq only', () => {
    expect(resolved({}, { controlPlaneCount: 1 }, dnsmasq)).toBe('success');
    expect(resolved({}, { controlPlaneCount: 1 })).toBe('failure');
    expect(resolved({}, { controlPlaneCount: 3 }, dnsmasq)).toBe('failure');
    expect(resolved({}, { controlPlaneCount: 1, kind: 'AddHostsCluster' }, dnsmasq)).toBe('failure');
  });

  it('of an imported cluster is required when its workers have no managed networking', () => {
    const imported: Settings = { imported: true, kind: 'AddHostsCluster', userManagedNetworking: false };
    expect(resolved({}, imported, { workerNetworking: 'user-managed' })).toBe('failure');
    expect(resolved({}, imported, { workerNetworking: 'managed' })).toBe('success');
    expect(resolved({}, imported, { workerNetworking: undefined })).toBe('pending');
  });
});

describe('a wildcard record', () => {
  const name = 'validateNoWildcardDNS.c.example.com';

  it('is found by one of the two forms of the name', () => {
    const cluster = sampleSettings(USER_MANAGED);
    const found = (first: Answers, second: Answers) =>
      statusOf('dns-wildcard-not-configured', {
        cluster,
        resolutions: [answers(name, first), answers(`${name}.`, second)],
      });
    expect(found({}, {})).toBe('success');
    expect(found({ ipv4Addresses: ['192.0.2.1'] }, {})).toBe('failure');
    expect(found({}, { ipv6Addresses: ['fd00::9'] })).toBe('failure');
    expect(found({}, { cnames: ['lb.example.com'] })).toBe('failure');
    expect(statusOf('dns-wildcard-not-configured', { cluster, resolutions: [answers(name)] })).toBe('error');
  });

  it('is not looked for in an installed cluster, also for its first hosts', () => {
    const cluster = sampleSettings({ ...USER_MANAGED, kind: 'AddHostsCluster' });
    expect(statusOf('dns-wildcard-not-configured', { cluster, resolutions: undefined })).toBe('success');
  });
});

describe('disk encryption of a host that is added to a cluster whose Ignition config cannot be read', () => {
  const statusIn = (enableOn: string): string | undefined =>
    statusOf('disk-encryption-requirements-satisfied', {
      kind: 'AddToExistingClusterHost',
      workerEncryption: '',
      cluster: sampleSettings({ diskEncryption: { enableOn, mode: 'tpmv2' } }),
    });

  it('is required only by the settings of the cluster', () => {
    expect(statusIn('none')).toBe(SUPPRESSED);
    expect(statusIn('all')).toBe('pending');
  });
});

describe('the disks of a host', () => {
  const chosen = sampleDisk({ id: 'wwn-1', byId: 'wwn-1', name: 'sdb', path: '/dev/sdb', byPath: '/by-path/b' });
  const hardware = sampleHardware({
    disks: [sampleDisk({ id: 'wwn-0', byId: 'wwn-0', byPath: '/by-path/a' }), chosen],
  });
  const host = { hardware, installationDiskId: 'wwn-1', installationDiskPath: '/dev/sdb' };

  it.each([
    ['wwn-1', 'failure'],
    ['/by-path/b', 'failure'],
    ['/dev/sdb', 'failure'],
    ['wwn-0', 'success'],
    ['/by-path/a', 'success'],
  ])('must not be formatted: %s, and the installation disk has another name for it: %s', (skipped, status) => {
    expect(statusOf('no-skip-installation-disk', { ...host, skipFormattingDisks: [skipped] })).toBe(status);
  });

  it('that must not be formatted exist, as far as the inventory lists all disks', () => {
    const missing = { ...host, skipFormattingDisks: ['wwn-9'] };
    const count = (diskCount: number) => ({ ...missing, hardware: { ...hardware, diskCount } });
    expect(statusOf('no-skip-missing-disk', count(2))).toBe('failure');
    expect(statusOf('no-skip-missing-disk', count(3))).toBe('error');
    expect(statusOf('no-skip-missing-disk', { ...count(3), skipFormattingDisks: ['wwn-0'] })).toBe('success');
  });

  it.each([
    ['wwn-1', 'failure'],
    ['/dev/sdb', 'failure'],
    ['/by-path/b', 'failure'],
    ['/dev/sda', 'success'],
  ])('have a speed test: the one of %s counts for the installation disk as %s', (path, status) => {
    const diskSpeeds = [{ path, ioSyncDurationMs: 0, exitCode: 1, generation: 1 }];
    expect(statusOf('sufficient-installation-disk-speed', { ...host, diskSpeeds })).toBe(status);
  });

  it.each(['HDD', 'SSD', 'Multipath'])('of the type %s have a UUID on VMware', (driveType) => {
    const paths = driveType === 'Multipath' ? [sampleDisk({ name: 'sdc', driveType: 'FC', holders: 'sda' })] : [];
    const disks = [sampleDisk({ driveType, hasUuid: false }), ...paths];
    const vmware = sampleHardware({ manufacturer: 'VMware, Inc.', disks });
    expect(statusOf('vsphere-disk-uuid-enabled', { hardware: vmware })).toBe('failure');
  });
});

describe('the encryption of disks', () => {
  const encrypted = (enableOn: string, role: string, tpmVersion = ''): string | undefined =>
    statusOf('disk-encryption-requirements-satisfied', {
      role,
      hardware: sampleHardware({ tpmVersion }),
      cluster: sampleSettings({ diskEncryption: { ...sampleSettings().diskEncryption, enableOn, mode: 'tpmv2' } }),
    });

  it.each([
    ['all', 'worker', 'failure'],
    ['masters', 'master', 'failure'],
    ['masters', 'bootstrap', 'failure'],
    ['masters, workers', 'worker', 'failure'],
    ['masters', 'worker', SUPPRESSED],
    ['arbiters', 'arbiter', 'failure'],
    ['none', 'master', SUPPRESSED],
    ['', 'master', SUPPRESSED],
  ])('on %s concerns %s: %s', (enableOn, role, status) => {
    expect(encrypted(enableOn, role)).toBe(status);
    expect(encrypted(enableOn, role, '2.0')).toBe(status === SUPPRESSED ? SUPPRESSED : 'success');
  });
});
