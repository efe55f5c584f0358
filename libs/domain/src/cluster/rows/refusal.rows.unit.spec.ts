import { at, clusterIn, COMMANDS, fiveHosts, INSTALL, refusalOf, rowFor, START, when } from '../cluster.fixture.spec';
import type { ClusterCommand } from '../commands';
import { DEFAULT_CLUSTER_DECIDER_SETTINGS } from '../decider';
import { CLUSTER_PHASES, type ClusterState } from '../state';
import { REFUSAL_ROWS } from './refusal.rows';
import { VIP_LEASE_REFUSAL_ROWS } from './vip-lease.rows';

const REFUSING_HOSTS = ['worker-1 (disconnected)', 'worker-2 (binding)'];
/** DHCP allocates the VIPs in 192.168.1.0/24. */
const withDhcp = (status: 'insufficient' | 'installing'): ClusterState => {
  const state = clusterIn(status);
  const machineNetworks = { items: ['192.168.1.0/24'] };
  return { ...state, settings: { ...state.settings, vipDhcpAllocation: true, machineNetworks } };
};
const LATE: ClusterState = { ...clusterIn('finalizing'), status: 'error', failedDeadline: 'finalizing' };

/** The example of a row when it differs from the default command and status. */
const SPECIAL: Readonly<Record<string, { readonly command?: Partial<ClusterCommand>; readonly given?: ClusterState }>> =
  {
    'ignored-validations-not-open': {
      command: { changes: { ignoredHostValidations: { items: ['all'] } } } as Partial<ClusterCommand>,
    },
    'install-host-not-known': { command: { hosts: fiveHosts('known', 'disconnected') } as Partial<ClusterCommand> },
    'install-without-bootstrap': { command: { bootstrapHostId: '' } as Partial<ClusterCommand> },
    'cancel-refused-by-host': { command: { refusingHosts: REFUSING_HOSTS } as Partial<ClusterCommand> },
    'reset-refused-by-host': { command: { refusingHosts: REFUSING_HOSTS } as Partial<ClusterCommand> },
    'add-hosts-other-kind': { given: { ...clusterIn('installed'), kind: 'AddHostsCluster' } },
    'stage-unknown': { command: { stage: 'Having lunch' } as Partial<ClusterCommand> },
    'stage-unknown-late': { command: { stage: 'Having lunch' } as Partial<ClusterCommand>, given: LATE },
    'operator-unknown': { command: { name: 'nobody' } as Partial<ClusterCommand> },
    'operator-status-unknown': {
      command: { status: 'tired' } as Partial<ClusterCommand>,
      given: clusterIn('finalizing'),
    },
    'vip-leases-not-open': { given: withDhcp('installing') },
    'vip-leases-outside': {
      command: { ingressVip: '10.0.0.1' } as Partial<ClusterCommand>,
      given: withDhcp('insufficient'),
    },
    'logs-state-unknown': { command: { report: { kind: 'state', logsState: 'lost' } } as Partial<ClusterCommand> },
  };

describe('refusals of a cluster command', () => {
  it.each([...REFUSAL_ROWS, ...VIP_LEASE_REFUSAL_ROWS].map((row) => [row.id, row] as const))('%s', (id, row) => {
    const { command: changes, given } = SPECIAL[id] ?? {};
    const command = { ...COMMANDS[row.on], ...changes } as ClusterCommand;
    for (const state of given ? [given] : row.from.map(clusterIn)) {
      expect(rowFor(command, state)?.id).toBe(id);
      const refusal = refusalOf(state, command);
      expect(refusal.code).toBe(row.refuse?.code);
      expect(refusal.subject).toBe(row.refuse?.subject);
      expect(refusal.reason).not.toMatch(/[{}]|undefined/);
      expect(refusal.reason).toMatch(/[.!?:]$|[.] /);
    }
  });

  it('name the status, the missing requirements, and the statuses that accept the command', () => {
    expect(refusalOf(clusterIn('insufficient'), INSTALL)).toEqual({
      code: 'not-allowed-in-state',
      subject: 'status',
      allowed: ['ready'],
      reason: 'The cluster is insufficient instead of ready. Cluster is not ready for install',
    });
    const conditions = { pendingInputsGiven: true, vipsDefined: true, requiredPassed: false };
    const ids = { failingIds: ['sufficient-masters-count'], pendingIds: ['ntp-server-configured'] };
    const blocked = when(clusterIn('insufficient'), {
      ...COMMANDS.Refresh,
      conditions: { ...conditions, ...ids },
    } as ClusterCommand).state;
    expect(refusalOf(blocked, INSTALL).reason).toBe(
      'The cluster is insufficient instead of ready. Cluster is not ready for install: sufficient-masters-count. Waiting for: ntp-server-configured',
    );
  });

  it('name the hosts that do not allow the command', () => {
    const command: ClusterCommand = { type: 'Reset', refusingHosts: REFUSING_HOSTS, at: at(1) };
    expect(refusalOf(clusterIn('error'), command).reason).toBe(
      'The installation was not reset, because these hosts do not allow it: worker-1 (disconnected), worker-2 (binding). Try again when they have another status, or delete them first.',
    );
  });

  it('list the statuses that accept the command when the status is the reason', () => {
    const statuses: readonly string[] = CLUSTER_PHASES;
    for (const { id, on, refuse } of REFUSAL_ROWS) {
      if (refuse?.subject !== 'status' || id === 'operator-status-unknown') continue;
      const context = { command: COMMANDS[on], state: clusterIn('error'), settings: DEFAULT_CLUSTER_DECIDER_SETTINGS };
      const allowed = refuse.allowed?.(context) ?? [];
      expect({ id, known: allowed.filter((status) => statuses.includes(status)).length }).toEqual({
        id,
        known: allowed.length,
      });
      expect(allowed.length).toBeGreaterThan(0);
    }
  });

  it('report a missing cluster before invalid input', () => {
    const command: ClusterCommand = { type: 'Revise', changes: { name: '!' }, pullSecretReplaced: false, at: START };
    expect(refusalOf(clusterIn('deregistered'), command).code).toBe('not-found');
  });

  it('report invalid input before the status', () => {
    const command: ClusterCommand = { type: 'Revise', changes: { name: '!' }, pullSecretReplaced: false, at: START };
    expect(refusalOf(clusterIn('installing'), command)).toMatchObject({ code: 'invalid-input', subject: 'name' });
  });
});
