import { HOST_STATUSES } from '../host/state';
import { stepContext } from './step-sample.fixture.spec';
import { planSteps, STEP_ROWS } from './step-table';

const AGENT = 'quay.io/agent:2';
type Pool = 'day-1' | 'day-2' | 'unbound';

const contextIn = (pool: Pool, status: string, changes: Parameters<typeof stepContext>[0] = {}) =>
  stepContext({
    ...changes,
    host: { status, kind: pool === 'day-2' ? 'AddToExistingClusterHost' : 'Host', ...changes.host },
    cluster: pool === 'unbound' ? null : { vipDhcpAllocation: true, ...changes.cluster },
  });

const planned = (pool: Pool, status: string): string => {
  const { steps, intervalSeconds, then } = planSteps(contextIn(pool, status), AGENT);
  return [`${intervalSeconds} ${then}`, ...steps.map(({ type }) => type)].join(' ');
};

const DISCOVERY =
  'inventory connectivity-check tang-connectivity-check free-network-addresses dhcp-lease-allocate ntp-synchronizer domain-resolution verify-vips';
const RESTING = '60 continue';

/** The step tables of the agent protocol. */
const PROTOCOL: Readonly<Record<Pool, Readonly<Record<string, string>>>> = {
  'day-1': {
    known:
      '60 continue connectivity-check tang-connectivity-check free-network-addresses dhcp-lease-allocate inventory ntp-synchronizer domain-resolution verify-vips',
    insufficient: `60 continue ${DISCOVERY}`,
    'pending-for-input': `60 continue ${DISCOVERY}`,
    disconnected: '120 continue inventory',
    discovering: '60 continue inventory',
    'preparing-for-installation':
      '60 continue dhcp-lease-allocate installation-disk-speed-check container-image-availability',
    installing: '60 continue install dhcp-lease-allocate',
    'installing-in-progress': '60 continue dhcp-lease-allocate',
    error: '120 continue logs-gather stop-installation',
    cancelled: '120 continue logs-gather stop-installation',
    resetting: '120 continue',
    'resetting-pending-user-action': '60 continue stop-installation',
    disabled: '120 continue',
    binding: '0 exit',
  },
  'day-2': {
    known:
      '60 continue connectivity-check api-vip-connectivity-check tang-connectivity-check inventory ntp-synchronizer domain-resolution',
    insufficient:
      '60 continue inventory connectivity-check api-vip-connectivity-check tang-connectivity-check ntp-synchronizer domain-resolution',
    'pending-for-input': '60 continue inventory connectivity-check api-vip-connectivity-check tang-connectivity-check',
    discovering: '60 continue inventory ntp-synchronizer domain-resolution',
    disconnected: '120 continue inventory',
    installing: '60 continue install',
    error: '120 continue logs-gather stop-installation',
    cancelled: '120 continue logs-gather stop-installation',
    resetting: '120 continue',
    'resetting-pending-user-action': '60 continue stop-installation',
    disabled: '120 continue',
  },
  unbound: {
    'discovering-unbound': '60 continue inventory ntp-synchronizer',
    'insufficient-unbound': '60 continue inventory ntp-synchronizer',
    'known-unbound': '60 continue inventory ntp-synchronizer',
    'disconnected-unbound': '120 continue inventory',
    'disabled-unbound': '120 continue',
    unbinding: '0 exit',
    'unbinding-pending-user-action': '0 exit stop-installation',
    reclaiming: '60 continue download-boot-artifacts',
    'reclaiming-rebooting': '120 exit reboot-for-reclaim',
  },
};

describe('steps of a host', () => {
  it.each(
    (['day-1', 'day-2', 'unbound'] as const).flatMap((pool) =>
      HOST_STATUSES.map((status) => [pool, status, PROTOCOL[pool][status] ?? RESTING] as const),
    ),
  )('in pool %s and status %s are %s', (pool, status, expected) => {
    expect(planned(pool, status)).toBe(expected);
  });

  it('have at most one row per pool and status, and only existing statuses', () => {
    const places = STEP_ROWS.flatMap(({ pool, statuses }) => statuses.map((status) => `${pool} ${status}`));
    expect(new Set(places).size).toBe(places.length);
    const known: readonly string[] = HOST_STATUSES;
    expect(STEP_ROWS.flatMap(({ statuses }) => statuses).filter((status) => !known.includes(status))).toEqual([]);
  });

  it('exclude disabled steps and ignore unknown names of disabled steps', () => {
    const context = contextIn('day-1', 'discovering', { settings: { disabledSteps: ['inventory', 'dance'] } });
    expect(planSteps(context, AGENT)).toEqual({ steps: [], intervalSeconds: 60, then: 'continue' });
  });
});

describe('steps of a host whose id two machines use', () => {
  const POOLS = ['day-1', 'day-2', 'unbound'] as const;
  const PLACES = POOLS.flatMap((pool) => HOST_STATUSES.map((status) => [pool, status] as const));
  const typesIn = (pool: Pool, status: string) =>
    planSteps(contextIn(pool, status, { host: { hasIdentityConflict: true } }), AGENT).steps.map(({ type }) => type);

  it.each(PLACES)('name the machine or end an installation in pool %s and status %s', (pool, status) => {
    const [, , ...usual] = (PROTOCOL[pool][status] ?? RESTING).split(' ');
    const harmless = usual.filter((type) => ['logs-gather', 'stop-installation'].includes(type));
    expect(typesIn(pool, status)).toEqual(usual.length > 0 ? ['inventory', ...harmless] : []);
  });

  it('contain no install step', () => {
    expect(PLACES.flatMap(([pool, status]) => typesIn(pool, status))).not.toContain('install');
    expect(typesIn('day-1', 'known')).toEqual(['inventory']);
  });
});

describe('agent of another version', () => {
  const UPGRADE = {
    steps: [{ type: 'upgrade-agent', args: ['{"agent_image":"quay.io/agent:2"}'] }],
    intervalSeconds: 60,
    then: 'continue',
  };
  const UPGRADABLE = [
    'binding',
    'discovering',
    'discovering-unbound',
    'insufficient',
    'insufficient-unbound',
    'known',
    'pending-for-input',
    'known-unbound',
  ];

  it.each(HOST_STATUSES.map((status) => [status, UPGRADABLE.includes(status)] as const))(
    'receives only the upgrade step in status %s: %s',
    (status, isUpgraded) => {
      const pool = status.endsWith('-unbound') ? 'unbound' : 'day-1';
      const plan = planSteps(contextIn(pool, status), 'quay.io/agent:1');
      if (isUpgraded) expect(plan).toEqual(UPGRADE);
      else expect(plan.steps.map(({ type }) => type)).not.toContain('upgrade-agent');
    },
  );

  it.each([
    ['the agent does not send its version', '', {}],
    ['it is the current one', 'quay.io/agent:2', {}],
    ['upgrades are disabled', 'quay.io/agent:1', { upgradesAgents: false }],
    ['the upgrade step is disabled', 'quay.io/agent:1', { disabledSteps: ['upgrade-agent'] }],
  ])('receives the usual steps when %s', (_case, version, settings) => {
    const plan = planSteps(contextIn('day-1', 'discovering', { settings }), version);
    expect(plan.steps.map(({ type }) => type)).toEqual(['inventory']);
  });
});

describe('executable of another version', () => {
  const typesOf = (changes: Parameters<typeof stepContext>[0]) =>
    planSteps(contextIn('day-1', 'discovering', changes), 'muster-host:1').steps.map(({ type }) => type);
  const executables = { agent: 'muster-host:2', agentArchitectures: ['x86_64', 'aarch64'] };

  it('is replaced where the service has an executable of its architecture', () => {
    expect(typesOf({ images: executables })).toEqual(['upgrade-agent']);
    expect(typesOf({ images: executables, hardware: { cpuArchitecture: 'aarch64' } })).toEqual(['upgrade-agent']);
  });

  it('is replaced by the architecture of its image before the first inventory', () => {
    const arm = { images: executables, hardware: null, infraEnv: { cpuArchitecture: 'arm64' } };
    expect(typesOf(arm)).toEqual(['upgrade-agent']);
    expect(typesOf({ ...arm, images: { ...executables, agentArchitectures: ['x86_64'] } })).toEqual(['inventory']);
    expect(typesOf({ ...arm, infraEnv: { cpuArchitecture: '' } })).toEqual(['inventory']);
  });

  it('receives the usual steps when the service has no current executable for its architecture', () => {
    expect(typesOf({ images: executables, hardware: { cpuArchitecture: 's390x' } })).toEqual(['inventory']);
  });

  it('receives the usual steps when the service requires a container image, which cannot replace it', () => {
    expect(typesOf({ images: { ...executables, agent: AGENT } })).toEqual(['inventory']);
  });
});

describe('step table', () => {
  it('has at most one row for each pool and status', () => {
    const keys = STEP_ROWS.flatMap(({ pool, statuses }) => statuses.map((status) => `${pool} ${status}`));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});
