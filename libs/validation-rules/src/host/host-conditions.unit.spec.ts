import type { HostFacts } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleHost, samplePoolHost, sampleSettings } from '../facts/sample.facts';
import { type HostBlockingIds, hostBlockingIds, hostConditions, type HostConditions } from './host-conditions';
import { evaluateHost } from './host-rules.table';

const conditions = (facts: HostFacts): HostConditions => hostConditions(facts, evaluateHost(facts));
const idsOf = (facts: HostFacts): HostBlockingIds =>
  hostBlockingIds(evaluateHost(facts), facts.cluster?.ignoredHostRules ?? [], facts.cluster !== undefined);
const tested = (exitCode: number) => [{ path: '/dev/sda', ioSyncDurationMs: 5, exitCode, generation: 0 }];
const images = (result: string) => [{ name: 'release', sizeBytes: 0, seconds: 1, downloadRateMbps: 1, result }];

describe('host conditions', () => {
  it('of a sound host let it be known', () => {
    expect(conditions(sampleHost())).toEqual({
      connected: true,
      mediaConnected: true,
      inventory: 'usable',
      minHardware: true,
      machineCidrDefined: true,
      vsphereDiskUuid: true,
      sufficientForInstall: true,
      diskSpeed: 'unknown',
      images: 'unknown',
    });
    expect(idsOf(sampleHost())).toEqual({
      failingIds: [],
      hardwareIds: [],
      inputIds: [],
      preparationIds: [],
      pendingIds: [],
    });
  });

  it('name what a blocked host waits for: pending and error validations', () => {
    expect(idsOf(sampleHost({ isReachReported: false, weakPeers: [] })).pendingIds).toEqual([
      'belongs-to-majority-group',
      'sufficient-network-latency-requirement-for-role',
      'sufficient-packet-loss-requirement-for-role',
    ]);
    expect(idsOf(sampleHost({ installationDiskId: '' })).pendingIds).toEqual(['sufficient-installation-disk-speed']);
  });

  it('of a host without an inventory block it', () => {
    const found = conditions(sampleHost({ hardware: undefined, ntpSources: [] }));
    expect(found).toMatchObject({
      inventory: 'none',
      minHardware: false,
      sufficientForInstall: false,
      connected: true,
    });
  });

  it('tell weak hardware from a missing machine network', () => {
    const weak = sampleHost({ hardware: sampleHardware({ cpuCount: 1 }) });
    expect(conditions(weak)).toMatchObject({ minHardware: false, machineCidrDefined: true });
    expect(idsOf(weak).hardwareIds).toEqual(['has-min-cpu-cores']);
    expect(idsOf(weak).failingIds).toHaveLength(2);

    const open = sampleHost({ cluster: sampleSettings({ machineNetworks: [] }) });
    expect(conditions(open)).toMatchObject({
      minHardware: true,
      machineCidrDefined: false,
      sufficientForInstall: false,
    });
    expect(idsOf(open).inputIds).toEqual(['machine-cidr-defined']);
  });

  it('are not touched by what is only shown', () => {
    const soft = sampleHost({ ntpSources: [], mtuFailures: [{ nic: 'a', remoteAddress: 'b' }] });
    expect(conditions(soft).sufficientForInstall).toBe(true);
    expect(idsOf(soft).failingIds).toHaveLength(2);
  });

  it('do not wait for a clock that an agent never tells, but for one that is wrong', () => {
    expect(conditions(sampleHost({ clockOffsetSeconds: undefined })).sufficientForInstall).toBe(true);
    expect(conditions(sampleHost({ clockOffsetSeconds: 9999 })).sufficientForInstall).toBe(false);
  });

  it('follow the disk test and the images while preparing', () => {
    const of = (facts: Partial<HostFacts>): readonly string[] => {
      const { diskSpeed, images: found } = conditions(sampleHost(facts));
      return [diskSpeed, found];
    };
    expect(of({ diskSpeeds: tested(0), images: images('success') })).toEqual(['ok', 'ok']);
    expect(of({ diskSpeeds: tested(1), images: images('failure') })).toEqual(['failed', 'failed']);
    expect(of({ installerArgs: ['--save-partlabel', 'data'] })).toEqual(['ok', 'unknown']);
    expect(of({ hardware: sampleHardware({ bootDeviceType: 'persistent' }) })).toEqual(['ok', 'unknown']);
    expect(conditions(sampleHost({ diskSpeeds: tested(1) })).sufficientForInstall).toBe(false);
    expect(conditions(sampleHost({ images: images('failure') })).sufficientForInstall).toBe(true);
    expect(idsOf(sampleHost({ images: images('failure') })).preparationIds).toHaveLength(1);
  });

  it('tell a machine without disk UUIDs', () => {
    const hardware = sampleHardware({ manufacturer: 'VMware, Inc.', disks: [sampleDisk({ hasUuid: false })] });
    expect(conditions(sampleHost({ hardware }))).toMatchObject({ vsphereDiskUuid: false, minHardware: true });
  });

  it('let ignored rules pass, but never those that cannot be ignored', () => {
    const ignoring = (ignoredHostRules: readonly string[]) =>
      conditions(
        sampleHost({
          hardware: sampleHardware({ routes: [], hostname: 'BAD' }),
          cluster: sampleSettings({ ignoredHostRules }),
        }),
      );
    expect(ignoring([]).sufficientForInstall).toBe(false);
    expect(ignoring(['has-default-route', 'hostname-valid']).sufficientForInstall).toBe(false);
    const named = (ignoredHostRules: readonly string[]) =>
      sampleHost({ hardware: sampleHardware({ routes: [] }), cluster: sampleSettings({ ignoredHostRules }) });
    expect(conditions(named(['has-default-route'])).sufficientForInstall).toBe(true);
    expect(conditions(named(['all'])).sufficientForInstall).toBe(true);
    expect(idsOf(named(['all'])).failingIds).toEqual(['has-default-route']);
  });

  it('of the pool ask for little', () => {
    const pool = samplePoolHost({
      hardware: sampleHardware({ routes: [] }),
      agentVersion: 'old',
      clockOffsetSeconds: 9e9,
    });
    expect(conditions(pool)).toMatchObject({ minHardware: true, sufficientForInstall: true, machineCidrDefined: true });
    expect(conditions(samplePoolHost({ requestedHostname: 'BAD' })).sufficientForInstall).toBe(false);
    expect(conditions(samplePoolHost({ isSilent: true, isMediaConnected: false }))).toMatchObject({
      connected: false,
      mediaConnected: false,
    });
  });

  it('know an inventory without content', () => {
    expect(conditions(sampleHost({ hardware: sampleHardware({ truncation: 'full' }) })).inventory).toBe('truncated');
  });
});
