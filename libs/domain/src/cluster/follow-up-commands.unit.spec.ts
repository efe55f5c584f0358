import { NO_HARDWARE } from '@muster/validation-rules';
import { type HostState, initialHost } from '../host/state';
import { nic } from '../steps/step-sample.fixture.spec';
import type { ClusterCommand } from './commands';
import {
  clusterFollowUps,
  type ClusterMember,
  type ClusterSurroundings,
  isInstallationComplete,
  summarizeMembers,
} from './follow-ups';
import { type ClusterState, initialClusterState } from './state';

const AT = '2026-01-01T00:00:00.000Z';

const host = (changes: Partial<HostState> = {}): ClusterMember => ({ state: { ...initialHost(), ...changes } });
const stages = (stage: HostState['progress']['stage']): Pick<HostState, 'progress'> => ({
  progress: { ...initialHost().progress, stage },
});
const cluster = (changes: Partial<ClusterState>): ClusterState => ({ ...initialClusterState(), ...changes });
const commandsFor = (state: ClusterState, given: Partial<ClusterSurroundings> = {}): readonly ClusterCommand[] => [
  ...clusterFollowUps(state, { hosts: [], evaluatedRevision: 7, hasKubeconfig: false, ...given }, AT),
];
function commandFor<Of extends ClusterCommand['type']>(
  type: Of,
  ...given: Parameters<typeof commandsFor>
): (ClusterCommand & { readonly type: Of }) | undefined {
  return commandsFor(...given).find(
    (command): command is ClusterCommand & { readonly type: Of } => command.type === type,
  );
}

describe('the end of a preparation', () => {
  const preparing = cluster({ status: 'preparing-for-installation', attempt: 2, preparation: 'pending' });
  const artifacts = { attempt: 2, openshiftClusterId: 'id-2' };
  const finished = (state: ClusterState, given: ClusterSurroundings['artifacts']) =>
    commandFor('FinishPreparation', state, { artifacts: given });

  it('follows from the artifacts of the attempt', () => {
    const outcome = { kind: 'success', openshiftClusterId: 'id-2' };
    expect(finished(preparing, artifacts)).toEqual({ type: 'FinishPreparation', at: AT, attempt: 2, outcome });
    const failure = { kind: 'failure', reason: 'no release' };
    expect(finished(preparing, { ...artifacts, failure: 'no release' })).toMatchObject({ outcome: failure });
  });

  it.each<readonly [string, ClusterState, ClusterSurroundings['artifacts']]>([
    ['there are none', preparing, undefined],
    ['they belong to an earlier attempt', preparing, { ...artifacts, attempt: 1 }],
    ['the cluster has stopped preparing', { ...preparing, status: 'ready' }, artifacts],
    ['their result is known', { ...preparing, preparation: 'success' }, artifacts],
    ['their result was undone by a host', { ...preparing, preparation: 'undone' }, artifacts],
  ])('does not follow when %s', (_case, state, given) => {
    expect(finished(state, given)).toBeUndefined();
  });
});

describe('the kubeconfig of a cluster', () => {
  it.each([
    [true, false, 1],
    [true, true, 0],
    [false, false, 0],
  ])('is recorded once (stored: %s, recorded: %s)', (hasKubeconfig, isRecorded, count) => {
    const state = cluster({ status: 'finalizing', hasKubeconfig: isRecorded });
    const found = commandsFor(state, { hasKubeconfig }).filter(({ type }) => type === 'CompleteKubeconfig');
    expect(found).toEqual(count === 0 ? [] : [{ type: 'CompleteKubeconfig', at: AT }]);
  });
});

describe('the progress of a cluster', () => {
  const hosts = [
    host({ role: 'master', isBootstrap: true, ...stages('Installing') }),
    host({ role: 'master', ...stages('Done') }),
    host({ role: 'worker' }),
    host({ role: 'auto-assign' }),
  ];

  it('is the sum of the stages of its hosts, by their assigned roles', () => {
    const installing = cluster({ status: 'installing', settings: { controlPlaneCount: 3 } });
    const sums = { stagesReached: 2 + 8, stagesTotal: 11 + 8 + 9 };
    expect(commandFor('RecordProgress', installing, { hosts })).toEqual({ type: 'RecordProgress', at: AT, ...sums });
  });

  it('has the stages of a single node when the cluster has one control plane host', () => {
    const installing = cluster({ status: 'installing', settings: { controlPlaneCount: 1 } });
    const sums = { stagesReached: 2, stagesTotal: 8 };
    expect(commandFor('RecordProgress', installing, { hosts: hosts.slice(0, 1) })).toMatchObject(sums);
  });

  it.each(['ready', 'installed', 'error'] as const)('is not recorded in status %s', (status) => {
    expect(commandFor('RecordProgress', cluster({ status }), { hosts })).toBeUndefined();
  });
});

describe('the refresh of a cluster', () => {
  const withNics = (...addresses: readonly string[]): ClusterMember => ({
    ...host(),
    hardware: { ...NO_HARDWARE, nics: addresses.map(toNic) },
  });
  const toNic = (address: string): ReturnType<typeof nic> =>
    address.includes(':')
      ? nic({ ipv4Addresses: [], ipv6Addresses: [address] })
      : nic({ ipv4Addresses: [address], ipv6Addresses: [] });
  const addressOf = (settings: ClusterState['settings'], ...hosts: readonly ClusterMember[]): string | undefined =>
    commandFor('Refresh', cluster({ status: 'preparing-for-installation', settings }), { hosts })?.singleNodeAddress;
  const networks = (...items: string[]): Pick<ClusterState['settings'], 'machineNetworks'> => ({
    machineNetworks: { items },
  });
  const node = withNics('192.0.2.7/24', '10.0.0.5/24', 'fd00::5/64');

  it('is the last command and contains the conditions with their revision', () => {
    const commands = commandsFor(cluster({ status: 'installing' }), { hosts: [host({ status: 'installing' })] });
    expect(commands.map(({ type }) => type)).toEqual(['RecordProgress', 'Refresh']);
    expect(commands.at(-1)).toMatchObject({
      at: AT,
      evaluatedRevision: 7,
      hosts: { total: 1, statuses: { installing: 1 } },
    });
  });

  it.each([
    ['the first machine network', networks('10.0.0.0/24', '192.0.2.0/24'), '10.0.0.5'],
    ['an IPv6 machine network', networks('fd00::/64'), 'fd00::5'],
    ['no machine network, because the node is in none', networks('10.9.0.0/24', '192.0.2.0/24'), ''],
    ['no machine network, because there is none', {}, ''],
  ])('of a single node contains its address in %s', (_case, given, address) => {
    expect(addressOf({ controlPlaneCount: 1, ...given }, node)).toBe(address);
  });

  it('contains no address of a node that has not reported any, and none of a cluster of several nodes', () => {
    expect(addressOf({ controlPlaneCount: 1, ...networks('10.0.0.0/24') }, host())).toBe('');
    expect(addressOf({ controlPlaneCount: 1, ...networks('10.0.0.0/24') })).toBe('');
    expect(addressOf({ controlPlaneCount: 3, ...networks('10.0.0.0/24') }, node)).toBe('');
  });
});

describe('the counts of the hosts of a cluster', () => {
  const installed = (role: HostState['role'], more: Partial<HostState> = {}): ClusterMember =>
    host({ status: 'installed', role, ...more });
  const masters = [installed('master'), installed('master'), installed('master')];

  it('do not contain hosts that are added to the installed cluster', () => {
    const added = host({ kind: 'AddToExistingClusterHost', status: 'installing', role: 'worker' });
    expect(summarizeMembers([...masters, added])).toMatchObject({ total: 3, statuses: { installed: 3 } });
  });

  it('contain a host that failed with its cluster after its last stage, by its suggested role', () => {
    const failed = host({ status: 'error', suggestedRole: 'master', ...stages('Done') });
    expect(summarizeMembers([failed]).installed.masters).toBe(1);
    expect(summarizeMembers([host({ status: 'error', role: 'master', ...stages('Joined') })]).installed.masters).toBe(
      0,
    );
  });

  it('contain fencing credentials and the bootstrap host', () => {
    const settings = { fencingCredentialsSet: true };
    const fenced = [installed('master', { settings }), installed('master', { settings, isBootstrap: true })];
    expect(summarizeMembers(fenced)).toMatchObject({ isFencingPair: true, hasBootstrap: true });
    expect(summarizeMembers([installed('master', { settings }), installed('master')])).toMatchObject({
      isFencingPair: false,
      hasBootstrap: false,
    });
    expect(isInstallationComplete(fenced, 2)).toBe(true);
  });
});
