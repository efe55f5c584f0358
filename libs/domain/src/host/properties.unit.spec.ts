import { HOST_EVENTS, type HostEvent, toStoredData } from '@muster/contracts';
import { MAX_ROUNDS } from '@muster/decision';
import fc from 'fast-check';
import { MAX_STATUS_INFO_BYTES, NO_REASON } from '../status-reason';
import { HOST_COMMAND_TYPES, type HostCommand } from './commands';
import { HOST_TABLE, hostDecider } from './decider';
import { evolveHost } from './evolve';
import { command, given, GOOD, KNOWN_MACHINE, minute, OTHER_MACHINE, stateAfter } from './host.fixture.spec';
import { renderHostStatus } from './messages';
import { HOST_STAGES } from './stages';
import { HOST_DEADLINES, HOST_SOURCES, HOST_STATUSES } from './state';

const conditions = fc.record({
  connected: fc.boolean(),
  mediaConnected: fc.boolean(),
  inventory: fc.constantFrom('none', 'usable', 'truncated', 'nonsense'),
  minHardware: fc.boolean(),
  machineCidrDefined: fc.boolean(),
  vsphereDiskUuid: fc.boolean(),
  sufficientForInstall: fc.boolean(),
  diskSpeed: fc.constantFrom('ok', 'unknown', 'failed'),
  images: fc.constantFrom('ok', 'unknown', 'failed'),
  failingIds: fc.array(fc.string({ maxLength: 900, unit: 'grapheme' }), { maxLength: 4 }),
});
const clusterStatus = fc.constantFrom(
  'insufficient',
  'ready',
  'preparing-for-installation',
  'installing',
  'finalizing',
  'installed',
  'error',
  'cancelled',
  'installing-pending-user-action',
  'adding-hosts',
  '',
  'nonsense',
);
const surroundings = fc.record({
  conditions: fc.option(
    conditions.map((values) => ({ ...GOOD, ...values })),
    { nil: undefined },
  ),
  cluster: fc.option(fc.record({ status: clusterStatus, isInstallationQuorumMet: fc.boolean() }), { nil: undefined }),
  softTimeouts: fc.boolean(),
});

const anyCommand: fc.Arbitrary<HostCommand> = fc
  .record({
    type: fc.constantFrom(...HOST_COMMAND_TYPES),
    minutes: fc.integer({ min: 0, max: 200 }),
    surroundings,
    stage: fc.constantFrom(...HOST_STAGES, 'nonsense', ''),
    info: fc.string(),
    deadline: fc.constantFrom(...HOST_DEADLINES, 'nonsense'),
    flag: fc.boolean(),
    day2: fc.boolean(),
    bound: fc.boolean(),
    machine: fc.constantFrom(KNOWN_MACHINE, OTHER_MACHINE, { ...KNOWN_MACHINE, macAddresses: [] }),
    role: fc.constantFrom('master', 'worker', 'arbiter', 'auto-assign', 'nonsense'),
    logsState: fc.constantFrom('requested', 'collecting', 'completed', 'timeout', ''),
  })
  .map((values) =>
    command(values.type, {
      ...values.surroundings,
      at: minute(values.minutes),
      stage: values.stage,
      info: values.info,
      controlPlaneCount: values.flag ? 1 : 3,
      isKubeApi: values.bound,
      deadline: values.deadline,
      byUser: values.flag,
      scope: values.flag ? 'host' : 'cluster',
      role: values.role,
      logsState: values.logsState,
      machine: values.machine,
      ...(values.type === 'Register'
        ? {
            kind: values.day2 ? 'AddToExistingClusterHost' : 'Host',
            role: 'master',
            clusterId: values.bound ? 'c1' : '',
          }
        : {}),
    } as object),
  );

const TRANSITIONS = new Map(HOST_TABLE.rows.map((row) => [row.id, row]));
const STATUSES: readonly string[] = HOST_STATUSES;

/** A sequence of commands. Each is decided on the state after the previous commands. */
const commandSequence = fc.record({
  start: fc.option(fc.constantFrom(...HOST_STATUSES), { nil: undefined }),
  commands: fc.array(anyCommand, { minLength: 1, maxLength: 25 }),
});

describe('properties of the host decider', () => {
  it('deciding never throws, and every status change belongs to a row of the table', () => {
    fc.assert(
      fc.property(commandSequence, ({ start, commands }) => {
        let state = stateAfter(start ? given(start) : []);
        for (const each of commands) {
          const decision = hostDecider.decide(each, state);
          if (decision.kind === 'refused') {
            expect(decision.refusal.code).not.toBe('internal');
            expect(decision.refusal.reason.length).toBeGreaterThan(20);
            continue;
          }
          for (const event of decision.events) {
            if (event.type === 'HostEnteredStatus') {
              const { status, from, transition, cause, statusReason } = event.data;
              expect(STATUSES).toContain(status);
              expect(from).toBe(state.status === 'unregistered' ? '' : state.status);
              expect(TRANSITIONS.get(transition)?.to).toBe(status);
              expect(cause === '').toBe(status !== 'error');
              const info = renderHostStatus(statusReason ?? NO_REASON, () => undefined);
              expect(info).not.toBe('');
              expect(Buffer.byteLength(info)).toBeLessThanOrEqual(MAX_STATUS_INFO_BYTES);
            }
            state = evolveHost(state, event);
          }
          expect(HOST_SOURCES).toContain(state.status);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('stored events lead to the same state as the decided events', () => {
    fc.assert(
      fc.property(commandSequence, ({ start, commands }) => {
        let state = stateAfter(start ? given(start) : []);
        for (const each of commands) {
          const decision = hostDecider.decide(each, state);
          if (decision.kind === 'refused') continue;
          const stored = decision.events.map(
            (event) => ({ type: event.type, data: toStoredData(event) }) as unknown as HostEvent,
          );
          const replayed = stored.reduce(evolveHost, state);
          state = decision.events.reduce(evolveHost, state);
          expect(replayed).toEqual(state);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('a repeated refresh changes nothing, and the number of rounds is below half of its limit', () => {
    fc.assert(
      fc.property(commandSequence, surroundings, ({ start, commands }, world) => {
        let state = stateAfter(start ? given(start) : []);
        for (const each of commands) {
          const decision = hostDecider.decide(each, state);
          if (decision.kind === 'accepted') state = decision.events.reduce(evolveHost, state);
        }
        const again = command('Refresh', world);
        const first = hostDecider.decide(again, state);
        if (first.kind === 'refused') return;
        expect(first.events.filter(({ type }) => type === 'HostEnteredStatus').length).toBeLessThan(MAX_ROUNDS / 2);
        const settled = first.events.reduce(evolveHost, state);
        expect(hostDecider.decide(again, settled)).toEqual({ kind: 'accepted', events: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('a repeated command changes nothing or is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom(...HOST_STATUSES), anyCommand, (start, each) => {
        // A repeated registration stores an event because the agent restarted.
        fc.pre(each.type !== 'Register');
        const state = stateAfter(given(start));
        const first = hostDecider.decide(each, state);
        if (first.kind === 'refused') return;
        const second = hostDecider.decide(each, first.events.reduce(evolveHost, state));
        if (second.kind === 'accepted')
          expect(second.events.filter(({ type }) => type !== 'HostLogsCollected')).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('evolve', () => {
  it('evolves every event type in every status without changing the given state', () => {
    for (const status of HOST_STATUSES)
      for (const type of Object.keys(HOST_EVENTS)) {
        const state = Object.freeze(stateAfter(given(status)));
        const data = toStoredData({ type, data: {} } as unknown as HostEvent);
        expect(HOST_SOURCES).toContain(evolveHost(state, { type, data } as unknown as HostEvent).status);
      }
  });

  it('returns the same state for an event type of a newer version', () => {
    const state = stateAfter(given('known'));
    expect(evolveHost(state, { type: 'HostTookUpKnitting', data: {} } as unknown as HostEvent)).toBe(state);
  });
});
