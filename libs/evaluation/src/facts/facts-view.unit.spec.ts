import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  type SampleEvent,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  inventoryReported,
  manifestEvent,
  recorded,
  reportEvent,
} from '@muster/testing';
import { SERVICE_DEFAULTS } from '@muster/validation-rules';
import { FactsView } from './facts-view';
import { toClusterFacts, toHostFacts } from './to-facts';

const POLICY = SERVICE_DEFAULTS;
const CLUSTER = `cluster:${CLUSTER_ID}`;
const [a, b, c] = [hostKey(1), hostKey(2), hostKey(3)];
const host = (key: string): string => `host:${key}`;
const SETUP = [infraEnvRegistered(), clusterRegistered(), hostRegistered(a), hostRegistered(b)];

/** Observes all events. Returns the view and the subjects that the last event affects. */
const after = (...facts: readonly SampleEvent[]) => {
  const view = new FactsView();
  const affected =
    recorded(facts)
      .map((event) => view.observe(event))
      .at(-1) ?? [];
  return { view, affected: [...affected].sort() };
};
const factsOf = (view: FactsView, key: ReturnType<typeof hostKey>) => {
  const entry = view.host(key);
  if (!entry) throw new Error(`no host ${key}`);
  return toHostFacts(entry, view, POLICY);
};
const clusterFactsOf = (view: FactsView) => {
  const entry = view.cluster(CLUSTER_ID);
  if (!entry) throw new Error('no cluster');
  return toClusterFacts(entry, view, POLICY);
};

describe('a deleted cluster', () => {
  it('is evaluated once more, so that its outcomes are forgotten', () => {
    expect(after(...SETUP, clusterEvent('ClusterDeregistered', {})).affected).toEqual([CLUSTER]);
  });

  it('has no entry, also after the end of its retention', () => {
    const ends = [
      clusterEvent('ClusterDeregistered', {}),
      clusterEvent('ClusterDeadlinePassed', { deadline: 'retention' }),
    ];
    const { view, affected } = after(...SETUP, ...ends);
    expect(affected).toEqual([]);
    expect(view.cluster(CLUSTER_ID)).toBeUndefined();
    expect([...view.openClusters()]).toEqual([]);
  });
});

describe('subjects affected by an event', () => {
  it('are the host and its cluster', () => {
    expect(after(...SETUP, inventoryReported(a)).affected).toEqual([CLUSTER, host(a)]);
  });

  it('are the cluster only when a host enters a status', () => {
    expect(after(...SETUP, hostEntered(a, 'known')).affected).toEqual([CLUSTER]);
  });

  it('are none when no rule reads the event', () => {
    const claimed = hostEvent(a, 'HostIdentityClaimed', { machine: { serialNumber: '1' }, at: '' });
    expect(after(...SETUP, claimed).affected).toEqual([]);
    expect(after(...SETUP, clusterEvent('ClusterProgressed', { totalPercentage: 3 })).affected).toEqual([]);
  });

  it('are none when a host without an inventory has a disk, unless disks must not be formatted', () => {
    const disk = hostEvent(a, 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' });
    expect(after(...SETUP, disk).affected).toEqual([]);
    expect(after(...SETUP, inventoryReported(a), disk).affected).toEqual([CLUSTER, host(a)]);
    const kept = hostEvent(a, 'HostSettingsRevised', { changes: { skipFormattingDisks: '/dev/sda' } });
    expect(after(...SETUP, kept, disk).affected).toEqual([CLUSTER, host(a)]);
    const { view } = after(...SETUP, disk, inventoryReported(a));
    expect(factsOf(view, a).installationDiskId).toBe('/dev/sda');
  });

  it('are all hosts of the cluster when counts by role changed and operators are selected', () => {
    const chosen = clusterEvent('ClusterSettingsRevised', {
      changes: { olmOperators: { items: [{ name: 'odf', properties: '' }] } },
    });
    const role = (key: ReturnType<typeof hostKey>) => hostEvent(key, 'HostRoleAssigned', { role: 'worker' });
    expect(after(...SETUP, role(a)).affected).toEqual([CLUSTER, host(a)]);
    expect(after(...SETUP, chosen, role(a)).affected).toEqual([CLUSTER, host(a), host(b)]);
    const { view } = after(...SETUP, chosen, role(a));
    expect(factsOf(view, b).shape).toMatchObject({ hosts: 2, workers: 1, unassigned: 1 });
    const more = [c, hostKey(4), hostKey(5), hostKey(6)].map((key) => hostRegistered(key));
    const last = after(...SETUP, chosen, ...more, hostRegistered(hostKey(7)));
    expect(last.affected).toEqual([CLUSTER, host(hostKey(7))]);
  });

  it('are none when the assigned role is the suggested one, unless an operator reads whether it is assigned', () => {
    const suggested = [a, b].map((key) => hostEvent(key, 'HostRoleSuggested', { role: 'worker' }));
    const assigned = (role: string) => hostEvent(a, 'HostRoleAssigned', { role });
    expect(after(...SETUP, ...suggested, assigned('worker')).affected).toEqual([]);
    expect(after(...SETUP, ...suggested, assigned('master')).affected).toEqual([CLUSTER, host(a)]);
    const chosen = clusterEvent('ClusterSettingsRevised', {
      changes: { olmOperators: { items: [{ name: 'odf', properties: '' }] } },
    });
    expect(after(...SETUP, chosen, ...suggested, assigned('worker')).affected).toEqual([CLUSTER, host(a), host(b)]);
  });

  it('are all that read the role when a role other than the suggested one is assigned, or a bootstrap host loses it', () => {
    const suggested = hostEvent(a, 'HostRoleSuggested', { role: 'worker' });
    const bootstrap = hostEvent(a, 'HostBootstrapChosen', {});
    const assigned = hostEvent(a, 'HostRoleAssigned', { role: 'worker' });
    expect(after(...SETUP, suggested, bootstrap, assigned).affected).toEqual([CLUSTER, host(a)]);
    const { view } = after(...SETUP, suggested, assigned);
    expect(clusterFactsOf(view).hosts.find(({ hostKey: key }) => key === a)).toMatchObject({ role: 'worker' });
  });

  it('are none when the report belongs to another generation', () => {
    expect(after(...SETUP, inventoryReported(a, {}, 0)).affected).toEqual([]);
  });

  it('include the other host with the same name when a name becomes shared or unique', () => {
    const both = [...SETUP, inventoryReported(a, { hostname: 'x' }), inventoryReported(b, { hostname: 'x' })];
    expect(after(...both).affected).toEqual([CLUSTER, host(a), host(b)]);
    const third = [...both, hostRegistered(c), inventoryReported(c, { hostname: 'x' })];
    expect(after(...third).affected).toEqual([CLUSTER, host(c)]);
    const renamed = hostEvent(b, 'HostRenamed', { requestedHostname: 'y' });
    expect(after(...both, renamed).affected).toEqual([CLUSTER, host(a), host(b)]);
    expect(after(...third, renamed).affected).toEqual([CLUSTER, host(b)]);
  });

  it('are all hosts only when settings changed that host rules read', () => {
    const revised = (changes: object): SampleEvent => clusterEvent('ClusterSettingsRevised', { changes });
    expect(after(...SETUP, revised({ sshPublicKey: 'ssh-ed25519 A' })).affected).toEqual([]);
    expect(after(...SETUP, revised({ apiVips: { items: ['192.168.128.102'] } })).affected).toEqual([CLUSTER]);
    const networks = clusterEvent('MachineNetworksDerived', { cidrs: ['10.0.0.0/8'] });
    expect(after(...SETUP, networks).affected).toEqual([CLUSTER, host(a), host(b)]);
    expect(after(...SETUP, clusterEvent('ClusterEnteredStatus', { status: 'ready' })).affected).toEqual([CLUSTER]);
  });

  it('are only the cluster when install-config overrides change its network type', () => {
    const overridden = (given: object): SampleEvent =>
      clusterEvent('ClusterSettingsRevised', {
        changes: { installConfigOverrides: { document: { digest: JSON.stringify(given), bytes: 2 }, ...given } },
      });
    const cilium = after(...SETUP, overridden({ networkType: 'Cilium' }));
    expect(cilium.affected).toEqual([CLUSTER]);
    expect(clusterFactsOf(cilium.view).settings).toMatchObject({
      networkType: 'OVNKubernetes',
      effectiveNetworkType: 'Cilium',
    });
    const withoutType = after(...SETUP, overridden({ networkType: 'Cilium' }), overridden({}));
    expect(withoutType.affected).toEqual([CLUSTER]);
    expect(clusterFactsOf(withoutType.view).settings.effectiveNetworkType).toBe('OVNKubernetes');
    expect(after(...SETUP, overridden({ isFips: true })).affected).toEqual([]);
  });

  it('include the old cluster of a host and the only host that remains in it', () => {
    const left = [CLUSTER, host(a), host(b)];
    expect(after(...SETUP, hostEvent(a, 'HostUnbound', { clusterId: CLUSTER_ID })).affected).toEqual(left);
    expect(after(...SETUP, hostEvent(a, 'HostDeregistered', {})).affected).toEqual(left);
  });

  it('include the hosts with a weak connection to a host with another role, until it is no longer weak', () => {
    const reach = (latencyMs: number): SampleEvent =>
      reportEvent(b, 'ConnectivityReported', { peers: [{ hostId: a.slice(37), latencyMs }] });
    const role = hostEvent(a, 'HostRoleSuggested', { role: 'master' });
    expect(after(...SETUP, reach(500), role).affected).toEqual([CLUSTER, host(a), host(b)]);
    expect(after(...SETUP, reach(500), reach(1), role).affected).toEqual([CLUSTER, host(a)]);
  });

  it('are the hosts of an infra-env whose NTP sources changed', () => {
    const revised = {
      ...infraEnvRegistered(),
      event: { type: 'InfraEnvSettingsRevised', data: { changes: { ntpSources: 'ntp' }, pullSecretReplaced: false } },
    } as SampleEvent;
    expect(after(...SETUP, revised).affected).toEqual([host(a), host(b)]);
    expect(revised.streamId).toBe(`infraEnv-${INFRA_ENV_ID}`);
  });
});

describe('manifests', () => {
  const given = manifestEvent('ManifestStored', { source: 'user' });
  it('of users affect only the cluster, until the last of them is removed', () => {
    const { view, affected } = after(...SETUP, given);
    expect(affected).toEqual([CLUSTER]);
    expect(clusterFactsOf(view).settings.hasCustomManifest).toBe(true);
    const gone = after(...SETUP, given, manifestEvent('ManifestRemoved'));
    expect(gone.affected).toEqual([CLUSTER]);
    expect(clusterFactsOf(gone.view).settings.hasCustomManifest).toBe(false);
  });

  it('are kept when the cluster changes', () => {
    const { view } = after(...SETUP, given, clusterEvent('MachineNetworksDerived', { cidrs: ['10.0.0.0/8'] }));
    expect(clusterFactsOf(view).settings.hasCustomManifest).toBe(true);
  });

  it('of the service affect nothing', () => {
    expect(after(...SETUP, manifestEvent('ManifestStored', { source: 'system' })).affected).toEqual([]);
  });
});

describe('facts of a host', () => {
  it('contain the reports of its current generation', () => {
    const reported = [...SETUP, inventoryReported(a), reportEvent(a, 'ClockOffsetMeasured', { offsetSeconds: 7 })];
    expect(factsOf(after(...reported).view, a)).toMatchObject({ hardware: { cpuCount: 8 }, clockOffsetSeconds: 7 });
    const reregistered = (inventoryKept: boolean): SampleEvent =>
      hostEvent(a, 'HostReregistered', {
        discoveryAgentVersion: 'v',
        kind: 'Host',
        clusterId: CLUSTER_ID,
        inventoryKept,
      });
    expect(factsOf(after(...reported, reregistered(true)).view, a).hardware).toBeDefined();
    expect(factsOf(after(...reported, reregistered(false)).view, a)).toMatchObject({
      hardware: undefined,
      clockOffsetSeconds: undefined,
    });
    expect(
      factsOf(after(...reported, reregistered(false), inventoryReported(a, {}, 2)).view, a).hardware,
    ).toBeDefined();
  });

  it('contain the addresses of a host once for all hosts that reach it', () => {
    const reach = (key: typeof a): SampleEvent =>
      reportEvent(key, 'ConnectivityReported', { peers: [{ hostId: 'peer', farAddresses: ['192.0.2.7'] }] });
    const { view } = after(...SETUP, reach(a), reach(b));
    const addressesOf = (key: typeof a) => view.host(key)?.reports.reaches?.get('peer')?.farAddresses;
    expect(addressesOf(a)).toEqual(['192.0.2.7']);
    expect(addressesOf(a)).toBe(addressesOf(b));
  });

  it('continue the generations when a deregistered host registers again', () => {
    const back = [...SETUP, inventoryReported(a), hostEvent(a, 'HostDeregistered', {}), hostRegistered(a)];
    expect(factsOf(after(...back).view, a).hardware).toBeUndefined();
    expect(factsOf(after(...back, inventoryReported(a, {}, 1)).view, a).hardware).toBeUndefined();
    expect(factsOf(after(...back, inventoryReported(a, {}, 2)).view, a).hardware).toBeDefined();
  });

  it('do not contain reports that were cleared', () => {
    const tested = reportEvent(a, 'DiskSpeedMeasured', { path: '/dev/sda', exitCode: 1 });
    expect(factsOf(after(...SETUP, tested, tested).view, a).diskSpeeds).toHaveLength(1);
    const cleared = reportEvent(a, 'ReportCleared', { stepType: 'installation-disk-speed-check' });
    expect(factsOf(after(...SETUP, tested, cleared).view, a).diskSpeeds).toEqual([]);
  });

  it('report a duplicate name on both hosts', () => {
    const { view } = after(...SETUP, inventoryReported(a, { hostname: 'x' }), inventoryReported(b, { hostname: 'x' }));
    expect([factsOf(view, a).hasDuplicateName, factsOf(view, b).hasDuplicateName]).toEqual([true, true]);
  });

  it('contain parsed settings', () => {
    const revised = hostEvent(a, 'HostSettingsRevised', {
      changes: { skipFormattingDisks: '/dev/sdb, /dev/sdc', installerArgs: '["--save-partlabel", "data"]' },
    });
    expect(factsOf(after(...SETUP, revised).view, a)).toMatchObject({
      skipFormattingDisks: ['/dev/sdb', '/dev/sdc'],
      installerArgs: ['--save-partlabel', 'data'],
    });
  });
});

describe('facts of a cluster', () => {
  const verified = (key: ReturnType<typeof hostKey>, verification: string): SampleEvent =>
    reportEvent(key, 'VipsVerified', { vips: [{ vip: '192.168.128.100', vipType: 'api', verification }] });
  const answers = (...facts: readonly SampleEvent[]) =>
    clusterFactsOf(after(...SETUP, ...facts).view).vipVerifications[0]?.verification;

  it('report a VIP as failed when one connected host found another machine on it', () => {
    expect(answers()).toBe('unverified');
    expect(answers(verified(a, 'succeeded'))).toBe('succeeded');
    expect(answers(verified(a, 'succeeded'), verified(b, 'failed'))).toBe('failed');
    expect(answers(verified(b, 'failed'), verified(a, 'succeeded'))).toBe('failed');
    const silent = hostEvent(b, 'HostFellSilent', { lastSeenAt: '' });
    expect(answers(verified(b, 'failed'), verified(a, 'succeeded'), silent)).toBe('succeeded');
  });

  it('report which hosts are sufficient for the current version of the cluster', () => {
    const weak = inventoryReported(a, { cpuCount: 7 });
    const single = clusterEvent('ClusterSettingsRevised', { changes: { controlPlaneCount: 1 } });
    const newer = clusterEvent('ClusterSettingsRevised', { changes: { openshiftVersion: '4.22.0' } });
    const strong = (...facts: readonly SampleEvent[]) =>
      clusterFactsOf(after(...SETUP, ...facts).view).hosts[0]?.canBeControlPlane;
    expect([strong(weak), strong(weak, single), strong(weak, single, newer)]).toEqual([true, false, true]);
  });

  it('omit hosts that were removed', () => {
    const { view } = after(...SETUP, hostEvent(a, 'HostDeregistered', {}));
    expect(clusterFactsOf(view).hosts.map((one) => one.hostKey)).toEqual([b]);
  });
});
