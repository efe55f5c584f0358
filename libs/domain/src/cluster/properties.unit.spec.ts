import { toStoredData } from '@muster/contracts';
import fc from 'fast-check';
import { HOST_ROLES, HOST_STATUSES } from '../host/state';
import { summarizeHosts } from '../roles/host-summary';
import { evolveAll, PREPARED, registration, rowFor, COMMAND_SEQUENCES } from './cluster.fixture.spec';
import { CLUSTER_COMMANDS, type ClusterCommand } from './commands';
import { clusterDeadlines, DEFAULT_CLUSTER_TIMEOUTS } from './deadlines';
import { CLUSTER_TABLE, clusterDecider } from './decider';
import { CLUSTER_DEADLINES, CLUSTER_KINDS, type ClusterState, FINALIZING_STAGES, initialClusterState } from './state';

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const HOST_STATUSES_THAT_COUNT = HOST_STATUSES.filter((status) =>
  /^(known|prepar|install|error|disconnected)/.test(status),
);

const at = fc.integer({ min: 0, max: 40 * 60 }).map((minutes) => new Date(START_MS + minutes * 60_000).toISOString());
const hosts = fc
  .oneof(
    // Most rows require that all hosts have the same status, so such summaries are generated more often than mixtures.
    fc.constantFrom(...HOST_STATUSES_THAT_COUNT).map((status) => [0, 1, 2, 3, 4].map(() => status)),
    fc.array(fc.constantFrom(...HOST_STATUSES_THAT_COUNT), { maxLength: 6 }),
  )
  .chain((statuses) =>
    fc.array(fc.constantFrom(...HOST_ROLES), { minLength: statuses.length, maxLength: statuses.length }).map((roles) =>
      summarizeHosts(
        statuses.map((status, index) => ({
          status,
          role: index < 3 ? 'master' : (roles[index] ?? 'worker'),
          suggestedRole: '',
          isBootstrap: index === 0,
          hasFencingCredentials: false,
          hasReachedDone: status === 'installed',
        })),
      ),
    ),
  );
const mostly = (weight: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: 10 }).map((value) => value <= weight);

const COMMANDS: { readonly [Type in ClusterCommand['type']]: fc.Arbitrary<Extract<ClusterCommand, { type: Type }>> } = {
  Register: fc
    .record({ kind: fc.constantFrom(...CLUSTER_KINDS), controlPlaneCount: fc.constantFrom(1, 3) })
    .map(({ kind, controlPlaneCount }) => registration({ controlPlaneCount }, { kind })),
  Revise: fc.record({
    type: fc.constant('Revise'),
    changes: fc.constantFrom(
      { name: 'other' },
      { uiSettings: { digest: 'sha256:1', bytes: 2 } },
      {},
      { vipDhcpAllocation: true },
      { name: '!' },
    ),
    pullSecretReplaced: mostly(1),
    at,
  }),
  DeriveMachineNetworks: fc.record({
    type: fc.constant('DeriveMachineNetworks'),
    cidrs: fc.constantFrom(['10.0.0.0/24'], ['10.0.1.0/24']),
    at,
  }),
  Refresh: fc.record({
    type: fc.constant('Refresh'),
    conditions: fc.option(
      fc.record({
        pendingInputsGiven: mostly(8),
        vipsDefined: mostly(8),
        requiredPassed: mostly(8),
        failingIds: fc.constantFrom([], ['a', 'b']),
        pendingIds: fc.constantFrom([], ['c']),
      }),
      { nil: undefined, freq: 6 },
    ),
    evaluatedRevision: fc.constant(Infinity),
    hosts,
    singleNodeAddress: fc.constantFrom('', '192.168.1.9'),
    at,
  }),
  Install: fc.record({
    type: fc.constant('Install'),
    hosts: hosts.map((summary) => ({ ...summary, statuses: { known: summary.total } })),
    bootstrapHostId: fc.constantFrom('h1', 'h1', 'h1', ''),
    at,
  }),
  FinishPreparation: fc.record({
    type: fc.constant('FinishPreparation'),
    attempt: fc.integer({ min: 1, max: 2 }),
    outcome: fc.constantFrom(
      { kind: 'success', openshiftClusterId: 'ocp' } as const,
      { kind: 'success', openshiftClusterId: 'ocp' } as const,
      { kind: 'failure', reason: 'no release' } as const,
    ),
    at,
  }),
  UndoPreparation: fc.record({ type: fc.constant('UndoPreparation'), reason: fc.constant('registered again'), at }),
  CancelInstallation: fc.record({
    type: fc.constant('CancelInstallation'),
    refusingHosts: fc.constantFrom([], [], ['h1 (disconnected)']),
    at,
  }),
  Reset: fc.record({ type: fc.constant('Reset'), refusingHosts: fc.constantFrom([], ['h1 (disconnected)']), at }),
  AllowAddHosts: fc.record({ type: fc.constant('AllowAddHosts'), at }),
  ReachFinalizingStage: fc.record({
    type: fc.constant('ReachFinalizingStage'),
    stage: fc.constantFrom(...FINALIZING_STAGES, 'nonsense'),
    at,
  }),
  ReportOperatorStatus: fc.record({
    type: fc.constant('ReportOperatorStatus'),
    name: fc.constantFrom('console', 'console', 'nobody'),
    status: fc.constantFrom('progressing', 'available', 'available', 'failed', 'nonsense'),
    statusInfo: fc.constant(''),
    version: fc.constant(''),
    at,
  }),
  AcceptVipLeases: fc.record({
    type: fc.constant('AcceptVipLeases'),
    apiVip: fc.constantFrom('192.168.1.100', '192.168.1.102', '10.9.9.9', ''),
    ingressVip: fc.constant('192.168.1.101'),
    apiVipLease: fc.constantFrom('', 'lease {\n  fixed-address 192.168.1.100;\n}'),
    ingressVipLease: fc.constant(''),
    at,
  }),
  CompleteKubeconfig: fc.record({ type: fc.constant('CompleteKubeconfig'), at }),
  RecordProgress: fc.record({
    type: fc.constant('RecordProgress'),
    stagesReached: fc.integer({ min: 0, max: 42 }),
    stagesTotal: fc.constant(42),
    at,
  }),
  PassDeadline: fc.record({
    type: fc.constant('PassDeadline'),
    deadline: fc.constantFrom(...CLUSTER_DEADLINES),
    softTimeouts: fc.boolean(),
    at,
  }),
  RecordLogs: fc.record({
    type: fc.constant('RecordLogs'),
    report: fc.constantFrom(
      { kind: 'state', logsState: 'requested' } as const,
      { kind: 'state', logsState: 'completed' } as const,
      { kind: 'state', logsState: 'nonsense' } as const,
      { kind: 'collected', logsType: 'controller', hostId: '', body: { digest: 'sha256:0', bytes: 1 } } as const,
    ),
    at,
  }),
  Deregister: fc.record({ type: fc.constant('Deregister'), at }),
};

function late(deadline: 'finalizing' | 'installation'): ClusterCommand {
  return { type: 'PassDeadline', deadline, softTimeouts: false, at: new Date(START_MS + 48 * 3_600_000).toISOString() };
}

/** Random commands rarely reach late statuses, so each sequence begins with one of the fixed command sequences. */
const beginning: fc.Arbitrary<readonly ClusterCommand[]> = fc.constantFrom(
  ...Object.values<readonly ClusterCommand[]>(COMMAND_SEQUENCES).filter(([first]) => first?.type === 'Register'),
  [...COMMAND_SEQUENCES['preparing-for-installation'], PREPARED],
  [...COMMAND_SEQUENCES.finalizing, late('finalizing')],
  [...COMMAND_SEQUENCES['installing-pending-user-action'], late('installation')],
);
const middle: fc.Arbitrary<readonly ClusterCommand[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: COMMANDS.Refresh },
    ...CLUSTER_COMMANDS.filter((type) => type !== 'Deregister').map((type) => ({
      weight: 1,
      arbitrary: COMMANDS[type] as fc.Arbitrary<ClusterCommand>,
    })),
  ),
  { maxLength: 30 },
);
const commandSequence = fc
  .tuple(beginning, middle)
  .map(([first, then]): readonly ClusterCommand[] => [...first, ...then]);

/** Executes the commands and calls the check after every step. */
function executeCommands(
  commands: readonly ClusterCommand[],
  check: (before: ClusterState, command: ClusterCommand, after: ClusterState) => void,
): void {
  let state = initialClusterState();
  for (const command of commands) {
    const decision = clusterDecider.decide(command, state);
    const next = decision.kind === 'accepted' ? evolveAll(state, decision.events) : state;
    check(state, command, next);
    state = next;
  }
}

describe('properties of the cluster decider', () => {
  it('every event has its stored shape and follows from one row', () =>
    fc.assert(
      fc.property(commandSequence, (commands) =>
        executeCommands(commands, (before, command) => {
          const decision = clusterDecider.decide(command, before);
          if (decision.kind === 'refused') return;
          for (const event of decision.events) expect(() => toStoredData(event)).not.toThrow();
          expect(rowFor(command, before)).toBeDefined();
          expect(rowFor(command, before)?.refuse).toBeUndefined();
        }),
      ),
    ));

  it('a repeated refresh changes nothing', () =>
    fc.assert(
      fc.property(commandSequence, (commands) =>
        executeCommands(commands, (_, command, after) => {
          if (command.type !== 'Refresh') return;
          const again = clusterDecider.decide(command, after);
          // After an undone preparation, the same validations may cause one more change of status.
          const settled = again.kind === 'accepted' ? evolveAll(after, again.events) : after;
          expect(clusterDecider.decide(command, settled)).toEqual(
            again.kind === 'accepted' ? { kind: 'accepted', events: [] } : again,
          );
        }),
      ),
    ));

  it('a repeated command other than Refresh stores nothing', () =>
    fc.assert(
      fc.property(commandSequence, (commands) =>
        executeCommands(commands, (before, command, after) => {
          const isRepeatable = [
            'Revise',
            'DeriveMachineNetworks',
            'FinishPreparation',
            'RecordProgress',
            'PassDeadline',
          ];
          if (!isRepeatable.includes(command.type) || clusterDecider.decide(command, before).kind === 'refused') return;
          if (command.type === 'Revise' && command.pullSecretReplaced) return;
          expect(clusterDecider.decide(command, after)).toEqual({ kind: 'accepted', events: [] });
        }),
      ),
    ));

  it('the total progress does not decrease within an attempt, and is 100 only for an installed cluster', () =>
    fc.assert(
      fc.property(commandSequence, (commands) =>
        executeCommands(commands, (before, _, after) => {
          const isSameAttempt = before.attempt === after.attempt && after.status !== 'insufficient';
          if (isSameAttempt) expect(after.progress.total).toBeGreaterThanOrEqual(before.progress.total);
          const isDone = ['installed', 'adding-hosts'].includes(after.status);
          expect(after.progress.total === 100).toBe(isDone && after.attempt > 0);
        }),
      ),
    ));

  it('a passed deadline is not due again', () =>
    fc.assert(
      fc.property(commandSequence, fc.boolean(), (commands, softTimeouts) =>
        executeCommands(commands, (_, command, after) => {
          if (command.type !== 'PassDeadline') return;
          const left = clusterDeadlines(after, { timeouts: DEFAULT_CLUSTER_TIMEOUTS, softTimeouts });
          const due = left.filter(({ name, atMs }) => name === command.deadline && atMs <= Date.parse(command.at));
          if (command.softTimeouts === softTimeouts) expect(due).toEqual([]);
        }),
      ),
    ));

  it('random commands reach at least 80 percent of the rows', () => {
    const reached = new Set<string | undefined>();
    fc.assert(
      fc.property(commandSequence, (commands) =>
        executeCommands(commands, (before, command) => void reached.add(rowFor(command, before)?.id)),
      ),
      { numRuns: 1_000, seed: 7 },
    );
    const transitions = CLUSTER_TABLE.rows.filter(({ refuse }) => !refuse);
    const missed = transitions.filter(({ id }) => !reached.has(id)).map(({ id }) => id);
    expect(missed.length / transitions.length).toBeLessThan(0.2);
  });
});
