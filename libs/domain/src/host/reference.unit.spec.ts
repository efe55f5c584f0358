import type { HostCommand } from './commands';
import {
  cluster,
  command,
  day1,
  day2,
  fellSilent,
  given,
  infoOf,
  unbound,
  progressed,
  refresh,
  when,
} from './host.fixture.spec';
import { HOST_STATUSES, type HostStatus } from './state';

/** Statuses and the status to which a command leads. Statuses that are not listed refuse the command. */
type Matrix = readonly (readonly [from: string, to: string])[];

const expand = (matrix: Matrix): ReadonlyMap<string, string> =>
  new Map(matrix.flatMap(([from, to]) => from.split(' ').map((status) => [status, to] as const)));

const SAME = '=';
const MATRICES: readonly (readonly [string, HostCommand, Matrix])[] = [
  [
    'registering again before a reboot',
    command('Register'),
    [
      ['preparing-for-installation preparing-successful', 'known'],
      [
        'discovering known disconnected insufficient resetting-pending-user-action binding pending-for-input resetting',
        'discovering',
      ],
      ['installing installing-in-progress', 'error'],
      ['error', SAME],
      [
        'discovering-unbound disconnected-unbound insufficient-unbound known-unbound unbinding unbinding-pending-user-action reclaiming-rebooting',
        'discovering-unbound',
      ],
    ],
  ],
  ['a failed install step', command('ReportInstallFailure'), [['installing installing-in-progress', 'error']]],
  [
    'cancelling',
    command('CancelInstallation'),
    [
      ['installing-pending-user-action installing installing-in-progress installed error', 'cancelled'],
      ['preparing-for-installation preparing-successful', 'known'],
      ['known cancelled', SAME],
    ],
  ],
  [
    'resetting with the cluster',
    command('RequireReset'),
    [
      [
        'resetting discovering known installing-pending-user-action installing preparing-for-installation preparing-successful preparing-failed pending-for-input resetting-pending-user-action installing-in-progress installed error cancelled added-to-existing-cluster',
        'resetting-pending-user-action',
      ],
    ],
  ],
  [
    'unbinding because the cluster is deleted',
    command('Unbind'),
    [
      ['known discovering disconnected insufficient pending-for-input', 'unbinding'],
      [
        'preparing-for-installation preparing-successful preparing-failed installing installing-in-progress installing-pending-user-action installed added-to-existing-cluster error cancelled',
        'unbinding-pending-user-action',
      ],
    ],
  ],
  [
    'unbinding by a user',
    command('Unbind', { byUser: true }),
    [
      ['known discovering disconnected insufficient pending-for-input', 'unbinding'],
      ['installed added-to-existing-cluster error cancelled', 'unbinding-pending-user-action'],
    ],
  ],
  [
    'reclaiming',
    command('Reclaim'),
    [
      ['installed added-to-existing-cluster', 'reclaiming'],
      ['known discovering disconnected insufficient pending-for-input', 'unbinding'],
      ['error cancelled', 'unbinding-pending-user-action'],
    ],
  ],
  ['rebooting for reclaim', command('RebootForReclaim'), [['reclaiming', 'reclaiming-rebooting']]],
  ['a failed reclaim', command('FailReclaim'), [['reclaiming reclaiming-rebooting', 'unbinding-pending-user-action']]],
  ['binding', command('Bind'), [['known-unbound', 'binding']]],
  [
    'losing the media',
    command('LoseMedia'),
    [
      ['discovering insufficient known pending-for-input disconnected binding', 'disconnected'],
      [
        'preparing-for-installation preparing-failed preparing-successful installing installing-in-progress error',
        'error',
      ],
      ['discovering-unbound insufficient-unbound known-unbound disconnected-unbound unbinding', 'disconnected-unbound'],
    ],
  ],
  [
    'a first stage',
    command('ReportProgress', { stage: 'Starting installation' }),
    [['installing installing-in-progress installing-pending-user-action', 'installing-in-progress']],
  ],
  [
    'the last stage on day 1',
    command('ReportProgress', { stage: 'Done' }),
    [['installing installing-in-progress installing-pending-user-action', 'installed']],
  ],
  [
    'a stage that failed',
    command('ReportProgress', { stage: 'Failed', info: 'no disk' }),
    [['installing installing-in-progress installing-pending-user-action', 'error']],
  ],
  [
    'a changed role',
    command('AssignRole', { role: 'arbiter' }),
    [
      [
        'discovering known disconnected insufficient pending-for-input discovering-unbound known-unbound disconnected-unbound insufficient-unbound binding',
        SAME,
      ],
    ],
  ],
];

describe.each(MATRICES)('%s', (_, what, matrix) => {
  const expected = expand(matrix);
  it.each([...HOST_STATUSES])('from %s', (from) => {
    const result = when(given(from), what);
    const to = expected.get(from);
    if (to === undefined) {
      expect(result.refusal).toEqual(expect.any(String));
      expect(result.events).toEqual([]);
      return;
    }
    expect(result.refusal).toBeUndefined();
    expect(result.state.status).toBe(to === SAME ? from : to);
  });
});

const ALL_DISCOVERY = 'discovering known disconnected insufficient pending-for-input';
const UNBOUND = 'discovering-unbound known-unbound disconnected-unbound insufficient-unbound';
const preparing = cluster('preparing-for-installation');

/** The refresh rules of assisted-service v2 by their numbers: from, surroundings, to. */
const REFRESH: readonly (readonly [rule: string, from: string, command: HostCommand, to: string])[] = [
  ['2, 3', 'known', refresh({}, preparing), 'preparing-successful'],
  ['2, 10', 'known', refresh({ diskSpeed: 'unknown' }, preparing), 'preparing-for-installation'],
  ['4', 'preparing-successful', refresh({}, preparing), SAME],
  ['5', 'preparing-successful', refresh({}, cluster('installing')), 'installing'],
  ['6', 'preparing-for-installation', refresh({ images: 'unknown' }, cluster('ready')), 'known'],
  ['7', 'preparing-for-installation preparing-failed known', refresh({ diskSpeed: 'failed' }), 'insufficient'],
  ['9', 'preparing-for-installation', refresh({ images: 'failed' }, preparing), 'preparing-failed'],
  ['10', 'preparing-for-installation', refresh({ images: 'unknown' }, preparing), SAME],
  ['11', 'preparing-failed', refresh({}, cluster('ready')), 'known'],
  ['11', 'preparing-failed', refresh({ images: 'failed' }, preparing), SAME],
  ['12', 'preparing-successful', refresh({}, cluster('ready')), 'known'],
  ['13', `${ALL_DISCOVERY} preparing-failed`, refresh({ connected: false }), 'disconnected'],
  ['13', `${ALL_DISCOVERY} preparing-failed`, refresh({ mediaConnected: false }), 'disconnected'],
  [
    '14',
    'installing installing-in-progress installed installing-pending-user-action',
    refresh({}, cluster('error')),
    'error',
  ],
  ['16', 'preparing-for-installation preparing-successful', refresh({ connected: false }, preparing), 'disconnected'],
  ['17', 'installing installing-in-progress', refresh({ connected: false }, cluster('installing')), 'error'],
  [
    '18',
    'installing installing-in-progress',
    refresh({ connected: false }, cluster('installing'), { softTimeouts: true }),
    SAME,
  ],
  [
    '22',
    'installing installing-in-progress installed installing-pending-user-action resetting-pending-user-action',
    refresh({}, cluster('installing')),
    SAME,
  ],
  ['23', 'disconnected discovering', refresh({ inventory: 'none' }), 'discovering'],
  ['23', 'disconnected discovering', refresh({ inventory: 'truncated' }), 'discovering'],
  ['24', ALL_DISCOVERY, refresh({ minHardware: false, machineCidrDefined: false }), 'insufficient'],
  ['25', ALL_DISCOVERY, refresh({ machineCidrDefined: false, sufficientForInstall: false }), 'pending-for-input'],
  ['26', ALL_DISCOVERY, refresh({ sufficientForInstall: false }), 'insufficient'],
  ['26', ALL_DISCOVERY, refresh({ vsphereDiskUuid: false, machineCidrDefined: false }), 'insufficient'],
  ['26', 'insufficient known pending-for-input', refresh({ inventory: 'truncated' }), 'insufficient'],
  ['27, 28', ALL_DISCOVERY, refresh(), 'known'],
  [
    '29',
    'error cancelled resetting added-to-existing-cluster reclaiming reclaiming-rebooting unbinding-pending-user-action binding unbinding',
    refresh(),
    SAME,
  ],
  ['unbound 1', `${UNBOUND} unbinding`, refresh({ connected: false }), 'disconnected-unbound'],
  ['unbound 2', 'disconnected-unbound discovering-unbound', refresh({ inventory: 'none' }), 'discovering-unbound'],
  ['unbound 3', UNBOUND, refresh({ minHardware: false }), 'insufficient-unbound'],
  ['unbound 3', UNBOUND, refresh({ sufficientForInstall: false }), 'insufficient-unbound'],
  ['unbound 4', UNBOUND, refresh(), 'known-unbound'],
  ['unbound media', UNBOUND, refresh({ mediaConnected: false }), SAME],
];

describe('refresh of a host', () => {
  const cases = REFRESH.flatMap(([rule, from, what, to]) =>
    from.split(' ').map((status) => [rule, status as HostStatus, to === SAME ? status : to, what] as const),
  );
  it.each(cases)('rule %s: %s becomes %s', (_, from, to, what) => {
    const isSilent = what.type === 'Refresh' && what.conditions?.connected === false;
    expect(when([...given(from), ...(isSilent ? [fellSilent] : [])], what).state.status).toBe(to);
  });

  it.each(['installing', 'installing-in-progress', 'installed', 'installing-pending-user-action'] as const)(
    'keeps a day-2 host in %s when its cluster failed',
    (status) => {
      expect(when(day2(status), refresh({}, cluster('error'))).state.status).toBe(status);
    },
  );

  it('keeps a host without a role in known while its cluster is preparing', () => {
    const result = when(
      day1('known').map((event) =>
        event.type === 'HostRegistered' ? { ...event, data: { ...event.data, role: 'auto-assign' } } : event,
      ),
      refresh({}, preparing),
    );
    expect(result.state.status).toBe('known');
  });

  it.each(['installing', 'installing-in-progress', 'unbinding'] as const)(
    'does not fail a host in %s that returned before its silence was evaluated',
    (status) => {
      const history = [...given(status), fellSilent, { type: 'HostReturned' as const, data: {} }];
      expect(when(history, refresh({ connected: false }, cluster('installing'))).events).toEqual([]);
    },
  );

  it.each(['known', 'installing', 'installing-in-progress', 'unbinding'] as const)(
    'ignores the silence and the lost media of a host in %s when their validations are disabled or ignored',
    (status) => {
      const history = [...given(status), fellSilent, { type: 'HostMediaDisconnected' as const, data: {} }];
      const result = when(history, refresh({ connected: true }, cluster('installing')));
      expect(result.types.filter((type) => type !== 'HostStatusExplained')).toEqual([]);
    },
  );

  it('ignores a missing poll after the reboot', () => {
    const history = [...day1('installing-in-progress'), fellSilent, progressed('Rebooting')];
    expect(when(history, refresh({ connected: false }, cluster('installing'))).events).toEqual([]);
  });

  it('does not require a machine network for hosts without a cluster', () => {
    const result = when(unbound('discovering-unbound'), refresh({ machineCidrDefined: false, vsphereDiskUuid: false }));
    expect(result.state.status).toBe('known-unbound');
  });
});

describe('registration of a host', () => {
  it.each(['installing-in-progress', 'added-to-existing-cluster'] as const)(
    'from the discovery image after the reboot requires a user action (%s)',
    (status) => {
      const result = when(
        [...day1(status), progressed('Rebooting')],
        command('Register', { installationDisk: 'Disk 9000 S123 (sda, wwn-1)' }),
      );
      expect(result.state.status).toBe('installing-pending-user-action');
      expect(infoOf(result.state)).toContain('Disk 9000 S123 (sda, wwn-1)');
    },
  );

  it('of an installed day-2 host requires the same user action', () => {
    const history = [...day2('added-to-existing-cluster'), progressed('Done')];
    const result = when(history, command('Register', { kind: 'AddToExistingClusterHost' }));
    expect(result.state.status).toBe('installing-pending-user-action');
  });

  it('during a reset after a reboot changes nothing', () => {
    expect(when([...day1('resetting'), progressed('Rebooting')], command('Register')).events).toEqual([]);
  });

  it.each([
    ['host-already-installed', day1('installed')],
    ['host-must-boot-from-disk', [...day1('installing-pending-user-action'), progressed('Rebooting')]],
    ['invalid-input', day1('cancelled')],
  ] as const)('is refused with %s', (code, history) => {
    expect(when(history, command('Register')).refusal).toBe(code);
  });
});

it('the installation of a host without a cluster is refused like that of an unknown host', () => {
  for (const status of ['known-unbound', 'unbinding', 'reclaiming'] as const)
    expect(when(unbound(status), command('InstallHost')).refusal).toBe('not-found');
});
