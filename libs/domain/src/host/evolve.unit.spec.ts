import type { HostEvent } from '@muster/contracts';
import {
  cluster,
  command,
  day1,
  day2,
  entered,
  KNOWN_MACHINE,
  minute,
  unbound,
  progressed,
  refresh,
  registered,
  START,
  stateAfter,
  when,
} from './host.fixture.spec';

describe('repeated registration of a host', () => {
  it('does not move it to another cluster', () => {
    expect(when(unbound('known-unbound'), command('Register')).state.clusterId).toBe('');
  });

  const history = [
    ...day1('known'),
    { type: 'HostBootstrapChosen' as const, data: {} },
    { type: 'HostLogsReported' as const, data: { logsState: 'requested', at: START } },
    { type: 'InstallationDiskChosen' as const, data: { diskId: 'a', diskPath: '/dev/a', byUser: true } },
  ];

  it('clears bootstrap, progress and logs, and keeps role and disk', () => {
    const { state } = when([...history, progressed('Installing')], command('Register', { agentVersion: 'agent:2' }));
    expect(state).toMatchObject({
      status: 'discovering',
      agentVersion: 'agent:2',
      isBootstrap: false,
      role: 'master',
      progress: { stage: '' },
      logs: { state: '' },
      installationDisk: { id: 'a' },
    });
  });

  it('during the preparation keeps the bootstrap role and the inventory', () => {
    const result = when([...history, entered('preparing-for-installation')], command('Register'));
    expect(result.state).toMatchObject({ status: 'known', isBootstrap: true });
    expect(result.events[0]).toMatchObject({ type: 'HostReregistered', data: { inventoryKept: true } });
  });

  it('updates the kind and keeps the cluster', () => {
    const bound = [...unbound('known-unbound'), ...when(unbound('known-unbound'), command('Bind')).events];
    const { state } = when(bound, command('Register', { kind: 'AddToExistingClusterHost' }));
    expect(state).toMatchObject({ status: 'discovering', kind: 'AddToExistingClusterHost' });
    expect(state.clusterId).not.toBe('');
  });

  it('ends the silence of the host', () => {
    const silent = [...day1('disconnected'), { type: 'HostFellSilent' as const, data: { lastSeenAt: START } }];
    const result = when(silent, command('Register'));
    expect(result.types[0]).toBe('HostReturned');
    expect(result.state.isSilent).toBe(false);
  });
});

describe('a new stage of a host', () => {
  it('ends the warning and the pause of the stage before, and a repeated report does not', () => {
    const inStage = [...day1('installing-in-progress'), progressed('Waiting for control plane')];
    const report = (stage: string, info: string) => command('ReportProgress', { stage, info, at: minute(9) });
    for (const [type, flag] of [
      ['HostStageTimedOut', 'isOverdue'],
      ['HostStageClockPaused', 'isClockPaused'],
    ] as const) {
      const history = [...inStage, { type, data: { stage: 'Waiting for control plane', minutes: 60 } } as HostEvent];
      expect(stateAfter(history).progress).toMatchObject({ [flag]: true, stage: 'Waiting for control plane' });
      expect(when(history, report('Waiting for control plane', '1 of 3')).state.progress[flag]).toBe(true);
      expect(when(history, report('Configuring', '')).state.progress[flag]).toBe(false);
    }
  });
});

describe('the generation of a host', () => {
  it('counts registrations and bindings, and continues after a deregistration', () => {
    const generation = (history: readonly HostEvent[]): number => stateAfter(history).generation;
    const known = unbound('known-unbound');
    const bound = [...known, ...when(known, command('Bind')).events];
    const again = [...bound, ...when(bound, command('Register')).events];
    const left = [...again, ...when(again, command('Unbind')).events];
    const gone = [...left, ...when(left, command('Deregister')).events];
    const back = [...gone, ...when(gone, command('Register')).events];
    expect([known, bound, again, left, gone, back].map(generation)).toEqual([1, 2, 3, 4, 4, 5]);
  });

  it('does not change while the inventory remains valid', () => {
    const preparing = day1('preparing-successful');
    const { state } = when(preparing, command('Register'));
    expect(state.generation).toBe(stateAfter(preparing).generation);
  });
});

describe('the values that a cluster gives a host', () => {
  it('are cleared when the host is bound to another cluster', () => {
    const history = [registered({ clusterId: '', bootstrap: true }), entered('known-unbound'), progressed('Rebooting')];
    expect(when(history, command('Bind')).state).toMatchObject({ isBootstrap: false, progress: { stage: '' } });
  });

  it('include its kind, its logs and the pool that a user set', () => {
    const day2Host = day2('known');
    const named = command('ReviseSettings', { changes: { machineConfigPoolName: 'infra' } });
    const logs = { type: 'HostLogsReported' as const, data: { logsState: 'completed', at: START } };
    const history = [...day2Host, ...when(day2Host, named).events, logs];
    expect(when(history, command('Unbind')).state).toMatchObject({
      kind: 'Host',
      isPoolNameChosen: false,
      logs: { state: '' },
    });
  });
});

describe('the media and the agent of a host', () => {
  it('are those of the last report', () => {
    const lost = [...day1('disconnected'), { type: 'HostMediaDisconnected' as const, data: {} }];
    expect(when(lost, command('RegainMedia')).state).toMatchObject({ isMediaConnected: true, status: 'disconnected' });
    const replaced = when(day1('known'), command('ReportAgentVersion')).state;
    expect(replaced).toMatchObject({ agentVersion: 'agent:2', status: 'known' });
  });
});

describe('statusSince', () => {
  it('changes when the status is entered and not when its reason changes', () => {
    const again = when(day1('discovering'), command('Register', { at: minute(5) }));
    expect(again.state).toMatchObject({ status: 'discovering', statusSince: START });
    const on = when(day1('installing'), command('ReportProgress', { at: minute(5) }));
    expect(on.state.statusSince).toBe(minute(5));
  });
});

describe('host that leaves its cluster', () => {
  it('clears everything that belongs to the cluster', () => {
    const history = [
      registered({ bootstrap: true, machineConfigPoolName: 'infra' }),
      { type: 'HostRoleSuggested' as const, data: { role: 'worker' } },
      { type: 'InstallationDiskChosen' as const, data: { diskId: 'a', diskPath: '/dev/a', byUser: true } },
      entered('installed'),
      progressed('Done'),
    ];
    expect(when(history, command('Unbind')).state).toMatchObject({
      clusterId: '',
      role: 'auto-assign',
      suggestedRole: '',
      isBootstrap: false,
      machineConfigPoolName: '',
      installationDisk: { id: '', path: '' },
      progress: { stage: '', percentage: 0 },
    });
  });

  it('leaves once: a failed reclaim stores no second departure', () => {
    const reclaiming = [...day1('installed'), ...when(day1('installed'), command('Reclaim')).events];
    expect(stateAfter(reclaiming).clusterId).toBe('');
    expect(when(reclaiming, command('FailReclaim')).types).toEqual(['HostEnteredStatus']);
  });
});

describe('installer image of a host', () => {
  it('is stored when the installation of a day-1 or day-2 host starts', () => {
    const installerImage = 'quay.io/installer:2';
    const chosen = { type: 'HostInstallerChosen', data: { installerImage } };
    const onDayOne = refresh({}, cluster('installing'), { installerImage });
    expect(when(day1('preparing-successful'), onDayOne).events).toContainEqual(chosen);
    expect(when(day2('known'), command('InstallHost', { installerImage })).events).toContainEqual(chosen);
    expect(when(day2('known'), command('InstallHost')).types).not.toContain('HostInstallerChosen');
  });
});

describe('deregistered host', () => {
  it('has no values left and can register as a new host', () => {
    const result = when(day1('installed'), command('Deregister'));
    expect(result.types).toEqual(['HostDeregistered']);
    expect(result.state.status).toBe('unregistered');
    const history = [...day1('installed'), ...result.events];
    expect(when(history, command('Rename')).refusal).toBe('not-found');
    const registered = when(history, command('Register'));
    expect(registered.row).toBe('register-bound');
    expect(registered.state.deregisteredAt).toBe('');
  });
});

describe('settings of a host', () => {
  it('store nothing when they are set to the current values', () => {
    for (const again of [
      command('AssignRole'),
      command('Rename'),
      command('ChooseInstallationDisk'),
      command('ReviseSettings'),
      command('ChooseBootstrap'),
      command('RecordLogs'),
      command('LoseMedia'),
      command('FallSilent'),
      command('ClaimIdentity', { machine: KNOWN_MACHINE }),
    ]) {
      const first = when(unboundOrBound(again.type), again);
      expect(when([...unboundOrBound(again.type), ...first.events], again).events).toEqual([]);
    }
  });

  it.each([
    ['worker', false],
    ['arbiter', false],
    ['auto-assign', true],
  ])(
    'clear the bootstrap role of a control plane host whose role becomes %s only when it cannot keep it',
    (role, is) => {
      const history = [
        ...day1('known'),
        { type: 'HostRoleAssigned' as const, data: { role: 'master', machineConfigPoolName: '' } },
        { type: 'HostBootstrapChosen' as const, data: {} },
      ];
      expect(when(history, command('AssignRole', { role })).state.isBootstrap).toBe(is);
    },
  );

  it('set the pool of a day-2 host to its role, unless a user set the pool', () => {
    const history = [registered({ kind: 'AddToExistingClusterHost', role: 'worker' }), entered('known')];
    expect(when(history, command('AssignRole')).state.machineConfigPoolName).toBe('master');
    const named = when(history, command('ReviseSettings', { changes: { machineConfigPoolName: 'infra' } }));
    expect(when([...history, ...named.events], command('AssignRole')).state.machineConfigPoolName).toBe('infra');
  });

  it('keep the role and the pool that a user set for a day-2 host when its installation starts', () => {
    const history = [registered({ kind: 'AddToExistingClusterHost', role: 'auto-assign' }), entered('known')];
    const named = when(history, command('ReviseSettings', { changes: { machineConfigPoolName: 'infra' } }));
    const infra = when([...history, ...named.events], command('InstallHost'));
    expect(infra.state).toMatchObject({ role: 'worker', machineConfigPoolName: 'infra' });
    const master = when([...history, ...when(history, command('AssignRole')).events], command('InstallHost'));
    expect(master.state).toMatchObject({ role: 'master', machineConfigPoolName: 'master' });
  });

  it('store only the changed fields', () => {
    const changes = { installerArgs: '["a"]', nodeLabels: '{"a":"b"}' };
    const first = when(day1('known'), command('ReviseSettings', { changes }));
    const second = when(
      [...day1('known'), ...first.events],
      command('ReviseSettings', { changes: { ...changes, nodeLabels: '{}' } }),
    );
    expect(second.events).toEqual([{ type: 'HostSettingsRevised', data: { changes: { nodeLabels: '{}' } } }]);
    expect(second.state.settings).toEqual({ installerArgs: '["a"]', nodeLabels: '{}' });
  });

  it('add and remove single disks that stay unchanged', () => {
    const protect = (diskId: string, skip = true) =>
      command('ReviseSettings', { changes: {}, disks: [{ diskId, skip }] });
    const first = when(day1('known'), protect('a'));
    const second = when([...day1('known'), ...first.events], protect('b'));
    expect(second.events).toEqual([{ type: 'HostSettingsRevised', data: { changes: { skipFormattingDisks: 'a,b' } } }]);
    const known = [...day1('known'), ...first.events, ...second.events];
    expect(when(known, protect('a')).events).toEqual([]);
    expect(when(known, protect('c', false)).events).toEqual([]);
    expect(when(known, protect('a', false)).state.settings).toEqual({ skipFormattingDisks: 'b' });
  });

  it('are refused after the start of the installation when they change more than the token', () => {
    const changes = { ignitionEndpointTokenSet: false };
    expect(when(day1('installed'), command('ReviseSettings', { changes })).refusal).toBeUndefined();
    const disks = [{ diskId: 'a', skip: true }];
    expect(when(day1('installed'), command('ReviseSettings', { changes, disks })).refusal).toBe('not-allowed-in-state');
  });

  it('store an event for each given value of a secret, because the value may differ', () => {
    const changes = { ignitionEndpointTokenSet: true, fencingCredentialsSet: true };
    const first = when(day1('known'), command('ReviseSettings', { changes }));
    const again = [...day1('known'), ...first.events];
    expect(when(again, command('ReviseSettings', { changes })).events).toEqual(first.events);
    const removed = { ignitionEndpointHttpHeadersSet: false };
    expect(when(again, command('ReviseSettings', { changes: removed })).events).toEqual([]);
  });
});

function unboundOrBound(type: string) {
  // The first AssignRole must be a change, so it needs a host whose role is open.
  return type === 'AssignRole' ? unbound('known-unbound') : day1('discovering');
}

describe('the logs of a host', () => {
  it('are no longer awaited in error and cancelled after the time for their collection', () => {
    const overdue = { type: 'HostDeadlinePassed' as const, data: { deadline: 'logs' } };
    for (const status of ['error', 'cancelled'] as const)
      expect(when([...day1(status, 'report'), overdue], refresh()).state.logs.state).toBe('timeout');
  });

  it('are complete when they arrive after the time for their collection', () => {
    const error = day1('error', 'report');
    const timedOut = when(
      error,
      command('PassDeadline', { deadline: 'logs', at: minute(2), cluster: cluster('installing') }),
    );
    expect(timedOut.state.logs.state).toBe('timeout');
    const late = command('RecordLogs', { logsState: 'completed', at: minute(32) });
    expect(when([...error, ...timedOut.events], late).state.logs.state).toBe('completed');
  });
});
