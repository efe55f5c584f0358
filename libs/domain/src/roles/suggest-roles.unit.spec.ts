import { type HostKey, hostKeyOf, parseHostKey } from '@muster/contracts';
import { NO_HARDWARE, SERVICE_DEFAULTS, toClusterSettingsFacts } from '@muster/validation-rules';
import fc from 'fast-check';
import {
  effectiveRoleOf,
  installationBlockingStatus,
  isEnough,
  type SummarizedHost,
  summarizeHosts,
} from './host-summary';
import {
  chooseBootstrap,
  type HardwareSize,
  hostWeight,
  type RoleCandidate,
  suggestRoles,
  toRoleCandidates,
} from './suggest-roles';

const size = (cores: number, more: Partial<HardwareSize> = {}): HardwareSize => ({
  cores,
  usableMemoryGib: 16,
  eligibleDisksGib: 100,
  hasGpu: false,
  ...more,
});
const key = (hostId: string, infraEnvId = 'i1'): HostKey => hostKeyOf(infraEnvId, hostId);
const candidate = (hostId: string, more: Partial<RoleCandidate> = {}): RoleCandidate => ({
  key: key(hostId),
  status: 'known',
  role: 'auto-assign',
  suggestedRole: '',
  size: size(4),
  canBeControlPlane: true,
  canBeArbiter: true,
  ...more,
});
const host = (status: string, role: SummarizedHost['role'], more: Partial<SummarizedHost> = {}): SummarizedHost => ({
  status,
  role,
  suggestedRole: '',
  isBootstrap: false,
  hasFencingCredentials: false,
  hasReachedDone: false,
  ...more,
});
const times = (count: number, one: SummarizedHost): readonly SummarizedHost[] =>
  Array.from({ length: count }, () => one);

describe('hostWeight', () => {
  it('is 0 for the smallest control plane host and increases with cores, memory and disks', () => {
    expect(hostWeight(size(4))).toBe(0);
    expect(hostWeight(size(8, { usableMemoryGib: 32, eligibleDisksGib: 600 }))).toBeCloseTo(4 + 1.6 + 2);
  });
});

describe('suggestRoles', () => {
  const roles = (hosts: readonly RoleCandidate[], count = 3): Readonly<Record<string, string>> =>
    Object.fromEntries(
      suggestRoles(hosts, count).map((suggested) => [parseHostKey(suggested.key).hostId, suggested.role]),
    );

  it('makes the smallest sufficient machines control plane hosts', () => {
    const hosts = [16, 8, 4, 12, 32].map((cores) => candidate(`c${cores}`, { size: size(cores) }));
    expect(roles(hosts)).toEqual({ c4: 'master', c8: 'master', c12: 'master', c16: 'worker', c32: 'worker' });
  });

  it('makes machines with a GPU workers when enough other machines exist', () => {
    const hosts = [
      candidate('gpu', { size: size(4, { hasGpu: true }) }),
      ...['a', 'b', 'c'].map((id) => candidate(id, { size: size(64) })),
    ];
    expect(roles(hosts)).toMatchObject({ a: 'master', b: 'master', c: 'master', gpu: 'worker' });
  });

  it('makes machines workers that cannot be control plane hosts', () => {
    const hosts = [
      candidate('tiny', { size: size(2), canBeControlPlane: false }),
      ...['a', 'b', 'c'].map((id) => candidate(id)),
    ];
    expect(roles(hosts)).toMatchObject({ tiny: 'worker', a: 'master' });
  });

  it('keeps roles that a user set', () => {
    const hosts = [
      candidate('chosen', { role: 'master', size: size(99) }),
      ...['a', 'b', 'c'].map((id) => candidate(id)),
    ];
    expect(roles(hosts)).toEqual({ a: 'master', b: 'master', c: 'worker' });
  });

  it('suggests one arbiter for two control plane hosts', () => {
    expect(
      roles(
        ['a', 'b', 'c', 'd'].map((id) => candidate(id)),
        2,
      ),
    ).toEqual({
      a: 'master',
      b: 'master',
      c: 'arbiter',
      d: 'worker',
    });
  });

  it('suggests no arbiter beside one that a user set', () => {
    const hosts = [candidate('a', { role: 'arbiter' }), ...['b', 'c', 'd'].map((id) => candidate(id))];
    expect(roles(hosts, 2)).toEqual({ b: 'master', c: 'master', d: 'worker' });
  });

  it('distinguishes the hosts of one machine that registered through two infra-envs', () => {
    const hosts = ['i2', 'i1'].map((infraEnvId) => candidate('z', { key: key('z', infraEnvId) }));
    expect(suggestRoles(hosts, 1)).toEqual([
      { key: key('z', 'i2'), role: 'worker' },
      { key: key('z', 'i1'), role: 'master' },
    ]);
  });

  it('returns nothing until every host has an inventory', () => {
    expect(suggestRoles([candidate('a'), candidate('b', { size: undefined })], 3)).toEqual([]);
  });

  it('returns nothing for hosts that are being installed', () => {
    expect(suggestRoles([candidate('a', { status: 'installing', suggestedRole: 'master' })], 3)).toEqual([]);
  });

  it('is independent of the order of hosts, repeats no suggestion, and never exceeds the control plane count', () => {
    const candidates = fc.uniqueArray(
      fc.record({
        hostId: fc.stringMatching(/^[a-f]{3}$/),
        cores: fc.integer({ min: 2, max: 64 }),
        canBeControlPlane: fc.boolean(),
      }),
      { selector: ({ hostId }) => hostId, maxLength: 8 },
    );
    fc.assert(
      fc.property(candidates, fc.constantFrom(1, 2, 3, 5), (drawn, count) => {
        const hosts = drawn.map(({ hostId, cores, canBeControlPlane }) =>
          candidate(hostId, { size: size(cores), canBeControlPlane }),
        );
        const first = suggestRoles(hosts, count);
        const result = new Map(first.map((suggested) => [suggested.key, suggested.role]));
        expect([...suggestRoles([...hosts].reverse(), count)].reverse()).toEqual(first);
        const again = hosts.map((one) => ({ ...one, suggestedRole: result.get(one.key) ?? one.suggestedRole }));
        expect(suggestRoles(again, count)).toEqual([]);
        const masters = first.filter(({ role }) => role === 'master').length;
        expect(masters).toBe(Math.min(count, drawn.filter(({ canBeControlPlane }) => canBeControlPlane).length));
      }),
    );
  });
});

describe('toRoleCandidates', () => {
  const installationDisk = { id: '', path: '', isChosenByPerson: false };
  const state = { status: 'known', role: 'auto-assign', suggestedRole: '', installationDisk } as const;
  const hosts = ['a', 'b', 'c'].map((hostId) => ({
    key: key(hostId),
    state,
    hardware: { ...NO_HARDWARE, cpuCount: 8, physicalMemoryBytes: 32 * 1024 ** 3 },
  }));

  it.each([
    ['baremetal', '4.20.0', ['master', 'master', 'arbiter']],
    ['none', '4.22.0', ['master', 'master', 'arbiter']],
    ['none', '4.21.9', ['master', 'master', 'worker']],
    ['vsphere', '4.22.0', ['master', 'master', 'worker']],
  ])('suggest an arbiter only where it can be installed (%s, %s)', (platformType, openshiftVersion, expected) => {
    const settings = { controlPlaneCount: 2, platformType, openshiftVersion };
    const cluster = toClusterSettingsFacts({ kind: 'Cluster', imported: false, pullSecretSet: true, settings });
    const suggested = suggestRoles(toRoleCandidates(hosts, cluster, SERVICE_DEFAULTS), 2);
    expect(suggested.map(({ role }) => role)).toEqual(expected);
  });

  it('expect as many workers as hosts are left beside the masters that a user set', () => {
    const small = ['a', 'b', 'c', 'd', 'e'].map((hostId, index) => ({
      key: key(hostId),
      state: index < 2 ? ({ ...state, role: 'master' } as const) : state,
      hardware: { ...NO_HARDWARE, cpuCount: 4, physicalMemoryBytes: 16 * 1024 ** 3 },
    }));
    const settings = {
      openshiftVersion: '4.20.0',
      olmOperators: { items: [{ name: 'lvm', properties: '', sourceBundles: [] }] },
    };
    const cluster = toClusterSettingsFacts({ kind: 'Cluster', imported: false, pullSecretSet: true, settings });
    const canBe = toRoleCandidates(small, cluster, SERVICE_DEFAULTS).map(({ canBeControlPlane }) => canBeControlPlane);
    expect(canBe).toEqual([true, true, true, true, true]);
  });
});

describe('effectiveRoleOf', () => {
  it('returns the assigned role, else the suggested role, else auto-assign', () => {
    expect(effectiveRoleOf({ role: 'worker', suggestedRole: 'master' })).toBe('worker');
    expect(effectiveRoleOf({ role: 'auto-assign', suggestedRole: 'master' })).toBe('master');
    expect(effectiveRoleOf({ role: 'auto-assign', suggestedRole: '' })).toBe('auto-assign');
  });
});

describe('chooseBootstrap', () => {
  const one = (hostId: string, status = 'known', more: object = {}): Parameters<typeof chooseBootstrap>[0][number] => ({
    hostId,
    status,
    role: 'master',
    suggestedRole: '',
    isBootstrap: false,
    ...more,
  });

  it('keeps the current bootstrap host', () =>
    expect(chooseBootstrap([one('a', 'known', { isBootstrap: true }), one('b')])).toBe('a'));
  it.each(['worker', 'arbiter'])('does not keep a bootstrap host whose role becomes %s when it is assigned', (role) => {
    const other = one('a', 'known', { isBootstrap: true, role: 'auto-assign', suggestedRole: role });
    expect(chooseBootstrap([other, one('b')])).toBe('b');
  });
  it('returns the last control plane host that is ready', () =>
    expect(chooseBootstrap([one('a'), one('b'), one('c', 'disconnected'), one('d', 'known', { role: 'worker' })])).toBe(
      'b',
    ));
  it('accepts a host with a suggested role', () =>
    expect(chooseBootstrap([one('a', 'known', { role: 'auto-assign', suggestedRole: 'master' })])).toBe('a'));
  it('is empty when no control plane host is ready', () => expect(chooseBootstrap([one('a', 'error')])).toBe(''));
});

describe('installationBlockingStatus', () => {
  const standing = (hosts: readonly SummarizedHost[], count = 3): string =>
    installationBlockingStatus(summarizeHosts(hosts), count);
  const masters = (status: string, count = 3): readonly SummarizedHost[] => times(count, host(status, 'master'));
  const workers = (status: string, count: number): readonly SummarizedHost[] => times(count, host(status, 'worker'));

  it.each<readonly [string, readonly SummarizedHost[], number, string]>([
    ['three control plane hosts', masters('installed'), 3, 'enough-installed'],
    ['one control plane host failed', [...masters('installed', 2), host('error', 'master')], 3, 'too-few'],
    [
      'a control plane host that is installing',
      [...masters('installed', 2), host('installing-in-progress', 'master')],
      3,
      'enough-on-the-way',
    ],
    [
      'two of three workers',
      [...masters('installed'), ...workers('installed', 2), host('error', 'worker')],
      3,
      'enough-installed',
    ],
    [
      'one of two workers',
      [...masters('installed'), host('installed', 'worker'), host('error', 'worker')],
      3,
      'too-few',
    ],
    ['the only worker failed', [...masters('installed'), host('error', 'worker')], 3, 'enough-installed'],
    ['a single node', masters('installed', 1), 1, 'enough-installed'],
    ['a single node that is installing', masters('installing-pending-user-action', 1), 1, 'enough-on-the-way'],
    ['two control plane hosts alone', masters('installed', 2), 2, 'too-few'],
    [
      'two control plane hosts and an arbiter',
      [...masters('installed', 2), host('installed', 'arbiter')],
      2,
      'enough-installed',
    ],
    [
      'two control plane hosts and a failed arbiter',
      [...masters('installed', 2), host('error', 'arbiter')],
      2,
      'too-few',
    ],
    [
      'two control plane hosts with fencing credentials',
      times(2, host('installed', 'master', { hasFencingCredentials: true })),
      2,
      'enough-installed',
    ],
    [
      'a bootstrap host with an automatic role',
      [...masters('installed', 2), host('installed', 'auto-assign', { isBootstrap: true, suggestedRole: 'master' })],
      3,
      'enough-installed',
    ],
    [
      'hosts that failed with their cluster after their last stage',
      times(3, host('error', 'master', { hasReachedDone: true })),
      3,
      'enough-installed',
    ],
  ])('%s', (_, hosts, count, expected) => expect(standing(hosts, count)).toBe(expected));

  it('does not become worse when one more host is installed', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('installed', 'error', 'installing'), { minLength: 5, maxLength: 5 }),
        (statuses) => {
          const hosts = statuses.map((status, index) => host(status, index < 3 ? 'master' : 'worker'));
          const better = hosts.map((one, index) => (index === 0 ? { ...one, status: 'installed' } : one));
          const [before, after] = [summarizeHosts(hosts), summarizeHosts(better)];
          if (isEnough(before.installed, before, 3)) expect(isEnough(after.installed, after, 3)).toBe(true);
        },
      ),
    ));
});
