import type { HardwareFacts, HostEvent, MachineIdentity, Plain } from '@muster/contracts';
import {
  command,
  day1,
  day2,
  entered,
  fellSilent,
  infoOf,
  KNOWN_MACHINE,
  machine,
  minute,
  OTHER_MACHINE,
  unbound,
  progressed,
  refresh,
  registered,
  START,
  stateAfter,
  when,
} from './host.fixture.spec';
import { isOtherMachine, machineOf } from './input';
import { HOST_STAGES, hostStages, stagePercentage } from './stages';

const claimed: HostEvent = { type: 'HostIdentityClaimed', data: { machine: KNOWN_MACHINE, at: START } };
const known = [...day1('known'), claimed];
const claim = (claimant: Plain<MachineIdentity>, minutes: number, otherMachineSeenAt?: string) =>
  command('ClaimIdentity', { machine: claimant, at: minute(minutes), otherMachineSeenAt });
const inConflict = [...known, ...when(known, claim(OTHER_MACHINE, 1)).events];

describe('the identity of a machine', () => {
  it('has the addresses of its physical interfaces, also of those without a type', () => {
    const nic = (macAddress: string, type: string) => ({ macAddress, type });
    const nics = [nic('b', ''), nic('a', 'physical'), nic('c', 'bond'), nic('', ''), nic('00:00:00:00:00:00', '')];
    const hardware = { nics, serialNumber: 's' } as unknown as Plain<HardwareFacts>;
    expect(machineOf(hardware, '192.0.2.1')).toMatchObject({ macAddresses: ['a', 'b'], serialNumber: 's' });
  });
});

describe('two live machines with one id', () => {
  it('store a conflict that status_info describes', () => {
    const result = when(known, claim(OTHER_MACHINE, 1));
    expect(result.types).toEqual(['HostIdentityConflictDetected']);
    expect(result.state).toMatchObject({
      status: 'known',
      machine: KNOWN_MACHINE,
      conflict: { claimant: OTHER_MACHINE },
    });
    expect(infoOf(result.state)).toContain('52:54:00:00:00:01');
    expect(infoOf(result.state)).toContain('52:54:00:00:00:99');
    expect(infoOf(result.state)).toContain('was known');
  });

  it('stay in status_info when the status changes', () => {
    const result = when(inConflict, refresh({ sufficientForInstall: false }));
    expect(result.state.status).toBe('insufficient');
    expect(infoOf(result.state)).toContain('Two machines claim');
    expect(infoOf(result.state)).toContain('rule A fails');
  });

  it('are distinguished by isOtherMachine', () => {
    expect(isOtherMachine(stateAfter(inConflict), OTHER_MACHINE)).toBe(true);
    expect(isOtherMachine(stateAfter(inConflict), KNOWN_MACHINE)).toBe(false);
    expect(isOtherMachine(stateAfter(known), OTHER_MACHINE)).toBe(false);
  });

  it('keep the conflict while both claim the id, also long after it was detected', () => {
    expect(when(inConflict, claim(KNOWN_MACHINE, 60, minute(59))).events).toEqual([]);
    expect(when(inConflict, claim(OTHER_MACHINE, 60, minute(59))).events).toEqual([]);
  });

  it('store nothing when they claim the id again', () => {
    expect(when(inConflict, claim(OTHER_MACHINE, 2, minute(2))).events).toEqual([]);
    expect(when(inConflict, claim(KNOWN_MACHINE, 2, minute(2))).events).toEqual([]);
    expect(when(inConflict, claim(machine('52:54:00:00:00:77'), 2)).events).toEqual([]);
    expect(when(inConflict, claim(machine('52:54:00:00:00:77'), 10, minute(2))).events).toEqual([]);
  });

  it.each([
    ['the known machine', KNOWN_MACHINE, ['HostIdentityConflictResolved']],
    ['the other machine', OTHER_MACHINE, ['HostIdentityConflictResolved', 'HostIdentityClaimed']],
  ] as const)('resolve the conflict when only %s still claims the id', (_, remaining, types) => {
    const result = when(inConflict, claim(remaining, 10, minute(2)));
    expect(result.types).toEqual(types);
    expect(result.state).toMatchObject({ conflict: undefined, machine: remaining });
    expect(infoOf(result.state)).toBe('was known');
  });

  it('do not change the status when one of them registers', () => {
    const first = when(known, command('Register', { machine: OTHER_MACHINE }));
    expect(first.types).toEqual(['HostIdentityConflictDetected']);
    expect(first.state.status).toBe('known');
    const again = when([...known, ...first.events], command('Register', { machine: OTHER_MACHINE }));
    expect(again.refusal).toBe('identity-conflict');
  });

  it.each(['known', 'error', 'resetting', 'disconnected'] as const)(
    'resolve the conflict when the other machine registers after the known one fell silent (%s)',
    (status) => {
      const history = [...day1(status), claimed, ...when([...day1('known'), claimed], claim(OTHER_MACHINE, 1)).events];
      const result = when([...history, fellSilent], command('Register', { machine: OTHER_MACHINE }));
      expect(result.types).toEqual(
        expect.arrayContaining(['HostReturned', 'HostIdentityConflictResolved', 'HostIdentityClaimed']),
      );
      expect(result.state).toMatchObject({ conflict: undefined, machine: OTHER_MACHINE });
    },
  );

  it('keep their conflict when the known machine registers', () => {
    expect(when(inConflict, command('Register', { machine: KNOWN_MACHINE })).state.conflict).toBeDefined();
  });

  it('do not stop a running installation when the last claim of the known machine is old', () => {
    const history = [...day1('installing-in-progress'), claimed, progressed('Rebooting')];
    const result = when(history, command('Register', { machine: OTHER_MACHINE, at: minute(30) }));
    expect(result.state).toMatchObject({ status: 'installing-in-progress', conflict: { known: KNOWN_MACHINE } });
  });
});

describe('claim of one machine', () => {
  it('is the same when the machine registers again within the limit', () => {
    const result = when(known, command('Register', { machine: KNOWN_MACHINE }));
    expect(result.state).toMatchObject({ status: 'discovering', conflict: undefined });
  });

  it('stores nothing when it is repeated', () => {
    expect(when(known, claim(KNOWN_MACHINE, 1)).events).toEqual([]);
  });

  it('stores a changed set of network cards', () => {
    const more = { ...KNOWN_MACHINE, macAddresses: [...KNOWN_MACHINE.macAddresses, '52:54:00:00:00:02'] };
    expect(when(known, claim(more, 1)).types).toEqual(['HostIdentityClaimed']);
  });

  it('replaces a machine that has not claimed the id within the limit', () => {
    const result = when(known, claim(OTHER_MACHINE, 10));
    expect(result.types).toEqual(['HostIdentityClaimed']);
    expect(result.state.machine).toEqual(OTHER_MACHINE);
  });

  it('replaces a silent machine', () => {
    expect(when([...known, fellSilent], claim(OTHER_MACHINE, 1)).types).toEqual(['HostIdentityClaimed']);
  });

  it('causes a conflict when the known machine was seen within the limit', () => {
    const result = when(known, claim(OTHER_MACHINE, 60, minute(59)));
    expect(result.types).toContain('HostIdentityConflictDetected');
  });

  it('causes no conflict when it contains no addresses', () => {
    const withoutAddresses = { ...OTHER_MACHINE, macAddresses: [] };
    expect(when(known, claim(withoutAddresses, 1)).types).not.toContain('HostIdentityConflictDetected');
    expect(when(known, claim(withoutAddresses, 1)).state.conflict).toBeUndefined();
  });
});

const CONTROL_PLANE = { role: 'master', isBootstrap: false, isDay2: false, controlPlaneCount: 3, isKubeApi: false };

describe('hostStages', () => {
  it.each([
    ['bootstrap', { isBootstrap: true }, 11],
    ['control plane', {}, 8],
    ['arbiter', { role: 'arbiter' }, 8],
    ['worker', { role: 'worker' }, 9],
    ['single node', { isBootstrap: true, controlPlaneCount: 1 }, 8],
    ['auto-assign', { role: 'auto-assign' }, 0],
  ] as const)('returns the stages of %s', (_, more, length) => {
    const stages = hostStages({ ...CONTROL_PLANE, ...more });
    expect(stages).toHaveLength(length);
    if (length > 0) expect(stagePercentage('Done', stages)).toBe(100);
  });

  it('ends with the reboot for a day-2 host that the Kubernetes API does not watch', () => {
    const day2Worker = { ...CONTROL_PLANE, role: 'worker', isDay2: true };
    expect(hostStages(day2Worker).at(-1)).toBe('Rebooting');
    expect(hostStages({ ...day2Worker, isKubeApi: true }).at(-1)).toBe('Done');
  });

  it('stagePercentage returns whole percents, and 0 for a stage that is not in the list', () => {
    const stages = hostStages({ ...CONTROL_PLANE, role: 'worker' });
    expect(stages.map((stage) => stagePercentage(stage, stages))).toEqual([11, 22, 33, 44, 55, 66, 77, 88, 100]);
    expect(stagePercentage('Waiting for bootkube', stages)).toBe(0);
  });
});

describe('progress of a host', () => {
  it('goes through all stages to installed', () => {
    const stages = hostStages(CONTROL_PLANE);
    let history = day1('installing');
    for (const stage of stages) {
      const result = when(history, command('ReportProgress', { stage }));
      expect(result.state.progress).toMatchObject({ stage, percentage: stagePercentage(stage, stages) });
      history = [...history, ...result.events];
    }
    expect(when(history, command('FallSilent')).state.status).toBe('installed');
  });

  it('enters the status once and then changes only its reason', () => {
    const first = when(day1('installing'), command('ReportProgress', { stage: 'Installing' }));
    const history = [...day1('installing'), ...first.events];
    const second = when(history, command('ReportProgress', { stage: 'Writing image to disk' }));
    expect(first.types).toEqual(['HostProgressed', 'HostEnteredStatus']);
    expect(second.types).toEqual(['HostProgressed', 'HostStatusExplained']);
    expect(infoOf(second.state)).toBe('Writing image to disk');
  });

  it('with new information changes only the time of the stage', () => {
    const history = [...day1('installing-in-progress'), progressed('Installing')];
    const result = when(history, command('ReportProgress', { info: '50%', at: minute(7) }));
    expect(result.types).toEqual(['HostProgressed']);
    expect(result.events[0]?.data).toMatchObject({ stageChanged: false, installationPercentage: 10 });
    expect(result.state.progress).toMatchObject({ info: '50%', stageUpdatedAt: minute(7) });
    expect(result.state.progress.stageStartedAt).not.toBe(minute(7));
  });

  it('may skip stages, and a refusal of an earlier stage lists the allowed stages', () => {
    const history = [...day1('installing-in-progress'), progressed('Installing')];
    expect(when(history, command('ReportProgress', { stage: 'Rebooting' })).refusal).toBeUndefined();
    const back = when([...history, progressed('Joined')], command('ReportProgress', { stage: 'Configuring' }));
    expect(back).toMatchObject({ refusal: 'not-allowed-in-state', allowed: ['Joined', 'Done'] });
  });

  it('with an unknown stage is refused with the list of stages', () => {
    const result = when(day1('installing'), command('ReportProgress', { stage: 'Dancing' }));
    expect(result).toMatchObject({ refusal: 'invalid-input', allowed: HOST_STAGES });
  });

  it('accepts any known stage as the first report', () => {
    const result = when(day1('installing'), command('ReportProgress', { stage: 'Waiting for bootkube' }));
    expect(result.state.progress).toMatchObject({ stage: 'Waiting for bootkube', percentage: 0 });
  });

  it('with a failure keeps the last stage and percentage', () => {
    const history = [...day1('installing-in-progress'), progressed('Rebooting')];
    const result = when(history, command('ReportProgress', { stage: 'Failed', info: 'no bootable disk' }));
    expect(result.state).toMatchObject({
      status: 'error',
      failedBy: 'report',
      progress: { stage: 'Rebooting', percentage: 10 },
    });
    expect(infoOf(result.state)).toBe('Failed - no bootable disk');
  });

  it('completes a day-2 host at its reboot', () => {
    const history = [...day2('installing-in-progress'), progressed('Writing image to disk')];
    const result = when(history, command('ReportProgress', { stage: 'Rebooting' }));
    expect(result.state).toMatchObject({
      status: 'added-to-existing-cluster',
      progress: { stage: 'Done', percentage: 100 },
    });
  });

  it('of a day-2 host that was bound without a role are those of a worker', () => {
    const kind = 'AddToExistingClusterHost';
    let history = unbound('known-unbound');
    for (const what of [
      command('Bind'),
      command('Register', { kind, role: 'worker' }),
      refresh(),
      command('InstallHost'),
      command('ReportProgress', { stage: 'Starting installation' }),
      command('ReportProgress', { stage: 'Writing image to disk' }),
      command('ReportProgress', { stage: 'Rebooting' }),
    ]) {
      const { refusal, events } = when(history, what);
      expect({ type: what.type, refusal }).toEqual({ type: what.type, refusal: undefined });
      history = [...history, ...events];
    }
    expect(stateAfter(history)).toMatchObject({
      status: 'added-to-existing-cluster',
      role: 'worker',
      machineConfigPoolName: 'worker',
      progress: { stage: 'Done', percentage: 100 },
    });
  });

  it('continues after the reboot of a day-2 host that the Kubernetes API watches', () => {
    const history = [...day2('installing-in-progress'), progressed('Writing image to disk')];
    const rebooting = when(history, command('ReportProgress', { stage: 'Rebooting', isKubeApi: true }));
    expect(rebooting.state).toMatchObject({ status: 'installing-in-progress', progress: { stage: 'Rebooting' } });
    const done = when([...history, ...rebooting.events], command('ReportProgress', { stage: 'Done', isKubeApi: true }));
    expect(done.state.status).toBe('added-to-existing-cluster');
  });

  it('of a single node counts the stages of a single node', () => {
    const history = [registered({ bootstrap: true }), entered('installing')];
    const result = when(history, command('ReportProgress', { stage: 'Waiting for bootkube', controlPlaneCount: 1 }));
    expect(result.state.progress).toMatchObject({ percentage: 37, isSingleNode: true });
  });
});
