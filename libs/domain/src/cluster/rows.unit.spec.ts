import { HOST_STATUSES } from '../host/state';
import { summarizeHosts } from '../roles/host-summary';
import {
  after,
  at,
  clusterIn,
  COMMAND_SEQUENCES,
  COMMANDS,
  conditions,
  fiveHosts,
  host,
  INSTALL,
  PREPARED,
  refresh,
  registration,
  revise,
  rowFor,
  START,
  when,
} from './cluster.fixture.spec';
import type { ClusterCommand } from './commands';
import { CLUSTER_TABLE } from './decider';
import {
  INSTALLATION_EXAMPLES,
  type Example,
  ENTERED,
  EXPLAINED,
  stays,
  moves,
  preparing,
  almostInstalled,
  installing,
  installed,
} from './row-examples.fixture.spec';

const networks = (...cidrs: string[]): ClusterCommand => ({ type: 'DeriveMachineNetworks', cidrs, at: START });
const finish = (attempt: number, kind: 'success' | 'failure'): ClusterCommand => ({
  type: 'FinishPreparation',
  attempt,
  outcome: kind === 'success' ? { kind, openshiftClusterId: 'ocp-1' } : { kind, reason: 'no release image' },
  at: at(2),
});
const UNDO: ClusterCommand = { type: 'UndoPreparation', reason: 'a host registered again', at: at(3) };
const DEREGISTER: ClusterCommand = { type: 'Deregister', at: at(15) };
const OPEN: ClusterCommand = { type: 'AllowAddHosts', at: at(90) };
const insufficient = clusterIn('insufficient');
const ready = clusterIn('ready');
const prepared = after(...COMMAND_SEQUENCES['preparing-for-installation'], PREPARED);
// DHCP allocates VIPs only in versions before 4.15.
const DHCP = after(registration({ vipDhcpAllocation: true, openshiftVersion: '4.14.71' }));
const LEASING = after(
  registration({
    vipDhcpAllocation: true,
    openshiftVersion: '4.14.71',
    apiVips: { items: [] },
    ingressVips: { items: [] },
    machineNetworks: { items: ['192.168.1.0/24'] },
  }),
);
const checked = (more: Parameters<typeof conditions>[0]): ClusterCommand =>
  refresh(fiveHosts('known'), { conditions: conditions(more) });
const SINGLE = after(
  registration({ controlPlaneCount: 1 }),
  refresh(fiveHosts('known'), { conditions: conditions() }),
  INSTALL,
  PREPARED,
);
const PREPARED_NODE = summarizeHosts([host('preparing-successful', 'master', { isBootstrap: true })]);
const EXAMPLES: Readonly<Record<string, Example>> = {
  'register-cluster': moves(clusterIn('unregistered'), registration(), 'insufficient', 'ClusterRegistered'),
  'register-day-2-cluster': moves(
    clusterIn('unregistered'),
    registration({}, { kind: 'AddHostsCluster' }),
    'adding-hosts',
    'ClusterRegistered',
  ),
  'register-disconnected-cluster': moves(
    clusterIn('unregistered'),
    registration({}, { kind: 'DisconnectedCluster' }),
    'unmonitored',
    'ClusterRegistered',
  ),
  'revise-nothing': stays(installing, revise({ name: 'prod' })),
  'revise-any-time': stays(
    installing,
    revise({ uiSettings: { digest: 'sha256:1', bytes: 2 } }),
    'ClusterSettingsRevised',
  ),
  'revise-settings': stays(ready, revise({ name: 'other' }), 'ClusterSettingsRevised'),
  'derive-machine-networks': stays(insufficient, networks('10.0.0.0/24'), 'MachineNetworksDerived'),
  'derive-same-machine-networks': stays(after(registration(), networks('10.0.0.0/24')), networks('10.0.0.0/24')),
  'allow-add-hosts': moves(installed, OPEN, 'adding-hosts', 'ClusterOpenedForHosts', ENTERED),
  deregister: moves(ready, DEREGISTER, 'deregistered', 'ClusterDeregistered'),

  'await-first-validation': stays(insufficient, refresh(fiveHosts('known'))),
  'inputs-missing': moves(ready, checked({ pendingInputsGiven: false }), 'pending-for-input', ENTERED),
  'vips-missing': moves(insufficient, checked({ vipsDefined: false }), 'pending-for-input', ENTERED),
  'vips-not-leased': stays(DHCP, checked({ vipsDefined: false, failingIds: ['api-vips-defined'] }), EXPLAINED),
  'requirements-failing': moves(ready, checked({ requiredPassed: false }), 'insufficient', ENTERED),
  'vip-leases-accepted': stays(LEASING, COMMANDS.AcceptVipLeases, 'VipsDerived'),
  'vip-leases-repeated': stays(when(LEASING, COMMANDS.AcceptVipLeases).state, {
    ...COMMANDS.AcceptVipLeases,
    apiVipLease: 'lease { renew 1; }',
  } as ClusterCommand),
  'become-ready': moves(insufficient, checked({}), 'ready', ENTERED),

  'start-preparation': moves(ready, INSTALL, 'preparing-for-installation', 'InstallationPreparationStarted', ENTERED),
  'artifacts-prepared': stays(preparing, finish(1, 'success'), 'InstallationPrepared'),
  'artifacts-failed': stays(preparing, finish(1, 'failure'), 'InstallationPreparationFailed'),
  'artifacts-outcome-repeated': stays(prepared, finish(1, 'failure')),
  'artifacts-of-another-attempt': stays(preparing, finish(7, 'success')),
  'artifacts-too-late': stays(installing, finish(1, 'success')),
  'host-undid-preparation': stays(prepared, UNDO, 'InstallationPreparationUndone'),
  'nothing-prepared-to-undo': stays(preparing, UNDO),
  'preparation-over-to-undo': stays(installing, UNDO),
  'start-installing': moves(
    prepared,
    refresh(fiveHosts('preparing-successful')),
    'installing',
    'ClusterProgressed',
    ENTERED,
  ),
  'start-installing-after-undo': moves(
    after(...COMMAND_SEQUENCES['preparing-for-installation'], PREPARED, UNDO),
    refresh(fiveHosts('preparing-successful')),
    'installing',
    'InstallationPrepared',
    'ClusterProgressed',
    ENTERED,
  ),
  'await-single-node-address': stays(SINGLE, refresh(PREPARED_NODE), EXPLAINED),
  'host-stopped-preparing': moves(
    prepared,
    refresh(fiveHosts('preparing-successful', 'disconnected')),
    'insufficient',
    ENTERED,
  ),
  'host-failed-to-prepare': moves(
    prepared,
    refresh(fiveHosts('preparing-successful', 'preparing-failed')),
    'ready',
    ENTERED,
  ),
  'artifacts-failed-to-prepare': moves(
    after(...COMMAND_SEQUENCES['preparing-for-installation'], finish(1, 'failure')),
    refresh(fiveHosts('preparing-for-installation')),
    'ready',
    ENTERED,
  ),
  'await-artifacts': stays(preparing, refresh(fiveHosts('preparing-successful'))),
  'await-hosts-preparing': stays(prepared, refresh(fiveHosts('preparing-successful', 'known'))),
};
const ALL_EXAMPLES = { ...EXAMPLES, ...INSTALLATION_EXAMPLES };

describe("rows of the cluster's decision table", () => {
  it('have an example each', () => {
    expect(Object.keys(ALL_EXAMPLES).sort()).toEqual(
      CLUSTER_TABLE.rows
        .filter(({ refuse }) => !refuse)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it.each(Object.entries(ALL_EXAMPLES))('%s', (id, example) => {
    expect(rowFor(example.when, example.given)?.id).toBe(id);
    const { state, events } = when(example.given, example.when);
    expect(events.map(({ type }) => type)).toEqual(example.then);
    expect(state.status).toBe(example.status);
  });
});

/** Statuses from which a host may still be installed in the present attempt. */
const ON_THE_WAY: readonly string[] = [
  'preparing-successful',
  'installing',
  'installing-in-progress',
  'installing-pending-user-action',
];

describe('the completion of a cluster whose control plane and two workers are installed', () => {
  const withWorker = (status: string) =>
    summarizeHosts([
      host('installed', 'master', { isBootstrap: true }),
      ...['master', 'master', 'worker', 'worker'].map((role) => host('installed', role as 'master')),
      host(status, 'worker'),
    ]);

  it.each(ON_THE_WAY)('waits for a worker in status %s', (status) => {
    expect(when(almostInstalled, refresh(withWorker(status))).state.status).not.toBe('installed');
  });

  it.each(HOST_STATUSES.filter((status) => status !== 'installed' && !ON_THE_WAY.includes(status)))(
    'does not wait for a worker in status %s, from which no installation follows',
    (status) => {
      const { state } = when(almostInstalled, refresh(withWorker(status)));
      expect(state).toMatchObject({ status: 'installed', statusReason: { code: 'installed-with-fewer-workers' } });
    },
  );
});
