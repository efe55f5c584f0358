import type { HostFacts } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleHost, sampleUnboundHost, sampleSettings } from '../facts/sample.facts';
import {
  type HostBlockingIds,
  hostBlockingIds,
  hostConditions,
  type HostConditions,
  recordedBlockingIds,
} from './host-conditions';
import type { Outcomes } from '../rule/evaluate-rules';
import { NEVER_IGNORABLE_HOST_RULES } from '../rule/overrides';
import { evaluateHost } from './host-rules.table';

const conditions = (facts: HostFacts): HostConditions => hostConditions(facts, evaluateHost(facts));
const idsOf = (facts: HostFacts): HostBlockingIds =>
  hostBlockingIds(evaluateHost(facts), facts.cluster?.ignoredHostRules ?? [], facts.cluster !== undefined);
const tested = (exitCode: number) => [{ path: '/dev/sda', ioSyncDurationMs: 5, exitCode, generation: 0 }];
const images = (result: string) => [{ name: 'release', sizeBytes: 0, seconds: 1, downloadRateMbps: 1, result }];

describe('host conditions', () => {
  it('are all met when every rule passes', () => {
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

  it('list pending outcomes and outcomes with an error as pendingIds', () => {
    expect(idsOf(sampleHost({ isReachReported: false, weakPeers: [] })).pendingIds).toEqual([
      'belongs-to-majority-group',
      'sufficient-network-latency-requirement-for-role',
      'sufficient-packet-loss-requirement-for-role',
    ]);
    expect(idsOf(sampleHost({ installationDiskId: '' })).pendingIds).toEqual(['sufficient-installation-disk-speed']);
  });

  it('are not met without an inventory', () => {
    const found = conditions(sampleHost({ hardware: undefined, ntpSources: [] }));
    expect(found).toMatchObject({
      inventory: 'none',
      minHardware: false,
      sufficientForInstall: false,
      connected: true,
    });
  });

  it('distinguish insufficient hardware and a missing machine network', () => {
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

  it('do not depend on rules that do not block', () => {
    const soft = sampleHost({ ntpSources: [], mtuFailures: [{ nic: 'ens3', remoteAddress: '192.168.128.11' }] });
    expect(conditions(soft).sufficientForInstall).toBe(true);
    expect(idsOf(soft).failingIds).toHaveLength(2);
  });

  it('do not require a clock offset, but refuse a wrong one', () => {
    expect(conditions(sampleHost({ clockOffsetSeconds: undefined })).sufficientForInstall).toBe(true);
    expect(conditions(sampleHost({ clockOffsetSeconds: 9999 })).sufficientForInstall).toBe(false);
  });

  it('contain the results of the disk test and the image check', () => {
    const of = (facts: Partial<HostFacts>): readonly string[] => {
      const { diskSpeed, images: found } = conditions(sampleHost(facts));
      return [diskSpeed, found];
    };
    expect(of({ diskSpeeds: tested(0), images: images('success') })).toEqual(['ok', 'ok']);
    expect(of({ diskSpeeds: tested(1), images: images('failure') })).toEqual(['failed', 'failed']);
    expect(of({ installerArgs: ['--save-partlabel', 'data'] })).toEqual(['ok', 'unknown']);
    expect(of({ installerArgs: ['--append-karg', 'a', '--save-partindex=5'] })).toEqual(['ok', 'unknown']);
    expect(of({ installerArgs: ['--append-karg', 'a'] })).toEqual(['unknown', 'unknown']);
    expect(of({ hardware: sampleHardware({ bootDeviceType: 'persistent' }) })).toEqual(['ok', 'unknown']);
    expect(conditions(sampleHost({ diskSpeeds: tested(1) })).sufficientForInstall).toBe(false);
    expect(conditions(sampleHost({ images: images('failure') })).sufficientForInstall).toBe(true);
    expect(idsOf(sampleHost({ diskSpeeds: tested(1), images: images('failure') })).preparationIds).toEqual([
      'container-images-available',
      'sufficient-installation-disk-speed',
    ]);
  });

  it('report a machine without disk UUIDs', () => {
    const hardware = sampleHardware({ manufacturer: 'VMware, Inc.', disks: [sampleDisk({ hasUuid: false })] });
    expect(conditions(sampleHost({ hardware }))).toMatchObject({ vsphereDiskUuid: false, minHardware: true });
  });

  it('count ignored rules as passed, except those that cannot be ignored', () => {
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

  it('require few rules of an unbound host', () => {
    const unbound = sampleUnboundHost({
      hardware: sampleHardware({ routes: [] }),
      agentVersion: 'old',
      clockOffsetSeconds: 9e9,
    });
    expect(conditions(unbound)).toMatchObject({
      minHardware: true,
      sufficientForInstall: true,
      machineCidrDefined: true,
    });
    expect(conditions(sampleUnboundHost({ requestedHostname: 'BAD' })).sufficientForInstall).toBe(false);
    expect(conditions(sampleUnboundHost({ isSilent: true, isMediaConnected: false }))).toMatchObject({
      connected: false,
      mediaConnected: false,
    });
  });

  it('report a completely truncated inventory', () => {
    expect(conditions(sampleHost({ hardware: sampleHardware({ truncation: 'full' }) })).inventory).toBe('truncated');
  });
});

describe('blocking ids of recorded outcomes', () => {
  const recorded: Outcomes = new Map([['has-min-memory', { id: 'has-min-memory', status: 'failure', parameters: [] }]]);

  it('are computed once while outcomes, ignored rules and place of the host are the same', () => {
    const ignored: readonly string[] = [];
    expect(recordedBlockingIds(recorded, ignored, true)).toBe(recordedBlockingIds(recorded, ignored, true));
  });

  it('follow the outcomes, the ignored rules and whether the host is bound', () => {
    const known = recordedBlockingIds(recorded, [], true);
    expect(known.hardwareIds).toEqual(['has-min-memory']);
    expect(recordedBlockingIds(recorded, [], false).pendingIds).not.toEqual(known.pendingIds);
    const ignorable = known.pendingIds.filter((id) => !NEVER_IGNORABLE_HOST_RULES.includes(id));
    expect(ignorable.length).toBeGreaterThan(0);
    const open = recordedBlockingIds(recorded, ignorable, true).pendingIds;
    expect(open.filter((id) => ignorable.includes(id))).toEqual([]);
    expect(recordedBlockingIds(new Map(), [], true).hardwareIds).toEqual([]);
  });
});
