import {
  after,
  clusterIn,
  COMMAND_SEQUENCES,
  conditions,
  fiveHosts,
  INSTALL,
  PREPARED,
  refresh,
  when,
} from './cluster.fixture.spec';
import type { ClusterCommand } from './commands';
import { type Example, INSTALLATION_EXAMPLES, moves, stays } from './row-examples.fixture.spec';

const checked = (more: Parameters<typeof conditions>[0]): ClusterCommand =>
  refresh(fiveHosts('known'), { conditions: conditions(more) });
const prepared = after(...COMMAND_SEQUENCES['preparing-for-installation'], PREPARED);
const failed = after(...COMMAND_SEQUENCES['preparing-for-installation'], {
  type: 'FinishPreparation',
  attempt: 1,
  outcome: { kind: 'failure', reason: 'no release image' },
  at: '2026-01-01T00:02:00.000Z',
});
const OWN_EXAMPLES: Readonly<Record<string, Example>> = {
  'inputs-missing': moves(clusterIn('ready'), checked({ pendingInputsGiven: false }), 'pending-for-input'),
  'vips-missing': moves(clusterIn('insufficient'), checked({ vipsDefined: false }), 'pending-for-input'),
  'requirements-failing': moves(clusterIn('ready'), checked({ requiredPassed: false }), 'insufficient'),
  'become-ready': moves(clusterIn('insufficient'), checked({}), 'ready'),
  'start-preparation': moves(clusterIn('ready'), INSTALL, 'preparing-for-installation'),
  'start-installing': moves(prepared, refresh(fiveHosts('preparing-successful')), 'installing'),
  'host-stopped-preparing': moves(prepared, refresh(fiveHosts('preparing-successful', 'disconnected')), 'insufficient'),
  'host-failed-to-prepare': moves(prepared, refresh(fiveHosts('preparing-successful', 'preparing-failed')), 'ready'),
  'artifacts-failed-to-prepare': moves(failed, refresh(fiveHosts('preparing-for-installation')), 'ready'),
  'hosts-installing': stays(
    { ...clusterIn('installing'), statusReason: { code: 'preparing', parameters: {}, failing: [], pending: [] } },
    refresh(fiveHosts('installing-in-progress')),
  ),
};

/** The code of the reason that each row gives its status. */
const REASONS: readonly (readonly [row: string, code: string])[] = [
  ['inputs-missing', 'input-required'],
  ['vips-missing', 'input-required'],
  ['requirements-failing', 'not-ready'],
  ['become-ready', 'ready'],
  ['start-preparation', 'preparing'],
  ['start-installing', 'installing'],
  ['host-stopped-preparing', 'host-stopped-preparing'],
  ['host-failed-to-prepare', 'preparation-failed'],
  ['artifacts-failed-to-prepare', 'preparation-failed'],
  ['hosts-installing', 'installing'],
  ['hosts-failed', 'hosts-failed'],
  ['host-needs-user-action', 'wrong-boot-order'],
  ['user-acted-while-installing', 'installing'],
  ['user-acted-while-finalizing', 'finalizing'],
  ['hosts-installed', 'finalizing'],
  ['complete', 'installed'],
  ['complete-degraded', 'installed-degraded'],
  ['complete-with-fewer-workers', 'installed-with-fewer-workers'],
  ['complete-late', 'installed'],
  ['complete-late-degraded', 'installed-degraded'],
  ['complete-late-with-fewer-workers', 'installed-with-fewer-workers'],
  ['finalize-late', 'finalizing'],
  ['preparation-timed-out', 'preparation-timed-out'],
  ['pending-user-action-timed-out', 'user-action-timed-out'],
  ['installation-timed-out', 'installation-timed-out'],
  ['finalizing-timed-out', 'finalizing-timed-out'],
  ['finalizing-stage-timed-out', 'finalizing-stage-timed-out'],
  ['finalizing-stage-overdue', 'finalizing-stage-overdue'],
  ['cancel-installation', 'cancelled'],
  ['cancel-preparation', 'cancelled'],
  ['reset', 'reset'],
];
const EXAMPLES = { ...INSTALLATION_EXAMPLES, ...OWN_EXAMPLES };

describe('the reason of a status', () => {
  it.each(REASONS)('after the row %s is %s', (id, code) => {
    const example = EXAMPLES[id];
    if (!example) throw new Error(`The row ${id} has no example.`);
    const { events } = when(example.given, example.when);
    const reasons = events.flatMap((event) =>
      event.type === 'ClusterEnteredStatus' || event.type === 'ClusterStatusExplained'
        ? [event.data.statusReason?.code]
        : [],
    );
    expect(reasons).toEqual([code]);
  });
});
