import type { HostEvent } from '@muster/contracts';
import {
  CLUSTER,
  command,
  day1,
  day2,
  entered,
  fellSilent,
  KNOWN_MACHINE,
  minute,
  OWNER,
  progressed,
  refresh,
  registered,
  START,
  stateAfter,
  when,
} from './host.fixture.spec';
import { hostnameRefusal, isSameClaim } from './input';

const silenceNoted: HostEvent = { type: 'HostConnectionTimedOut', data: {} };
const passed = (deadline: string): HostEvent => ({ type: 'HostDeadlinePassed', data: { deadline } });
const reregistered: HostEvent = {
  type: 'HostReregistered',
  data: { discoveryAgentVersion: 'agent:1', kind: 'Host', clusterId: CLUSTER, inventoryKept: false, at: START },
};
const imageCheckVoided: HostEvent = { type: 'HostImageCheckVoided', data: {} };

describe('the state of a host', () => {
  it('has the owner of its infra-env', () => expect(stateAfter([registered()]).owner).toEqual(OWNER));

  it.each<[string, HostEvent]>([
    ['registered again', reregistered],
    ['left its cluster', { type: 'HostUnbound', data: { clusterId: CLUSTER } }],
  ])('does not contain the warning about its silence after it %s', (_case, event) => {
    const silent = [...day1('installing-in-progress'), silenceNoted];
    expect(stateAfter(silent).isSilenceNoted).toBe(true);
    expect(stateAfter([...silent, event]).isSilenceNoted).toBe(false);
  });

  it('has the start of its stage and the last report of it', () => {
    const started = [...day1('installing-in-progress'), progressed('Installing', minute(1))];
    expect(stateAfter(started).progress).toMatchObject({ stageStartedAt: minute(1), stageUpdatedAt: minute(1) });
    const continued = when(started, command('ReportProgress', { stage: 'Installing', info: '50%', at: minute(2) }));
    expect(continued.state.progress).toMatchObject({ stageStartedAt: minute(1), stageUpdatedAt: minute(2) });
  });

  it('has each passed deadline once, and none that this version does not know', () => {
    const history = [...day1('installing'), passed('installing'), passed('installing'), passed('of a later version')];
    expect(stateAfter(history).passedDeadlines).toEqual(['installing']);
  });

  it('has no passed deadline of a stage after the next report, and still that of its logs', () => {
    const late = [...day1('installing-in-progress'), progressed('Installing'), passed('stage'), passed('logs')];
    expect(stateAfter(late).passedDeadlines).toEqual(['stage', 'logs']);
    expect(stateAfter([...late, progressed('Rebooting', minute(1))]).passedDeadlines).toEqual(['logs']);
  });

  it.each<[string, HostEvent]>([
    ['registered again', reregistered],
    ['left the preparation', entered('known')],
  ])('uses the checks of its images again after it %s', (_case, event) => {
    const voided = [...day1('preparing-for-installation'), imageCheckVoided];
    expect(stateAfter(voided).isImageCheckVoid).toBe(true);
    expect(stateAfter([...voided, entered('preparing-successful')]).isImageCheckVoid).toBe(false);
    expect(stateAfter([...voided, event]).isImageCheckVoid).toBe(false);
  });

  it('has the pool of its role again after a user removed the name of another one', () => {
    const pool = (machineConfigPoolName: string): HostEvent => ({
      type: 'HostSettingsRevised',
      data: { changes: { machineConfigPoolName } },
    });
    const named = [...day2('known'), pool('infra')];
    const assign = (role: string) => command('AssignRole', { role });
    const poolAfter = (history: readonly HostEvent[]) => stateAfter(history).machineConfigPoolName;
    expect(poolAfter([...named, ...when(named, assign('master')).events])).toBe('infra');
    const removed = [...named, pool('')];
    const master = [...removed, ...when(removed, assign('master')).events];
    expect(poolAfter(master)).toBe('master');
    expect(poolAfter([...master, ...when(master, assign('auto-assign')).events])).toBe('master');
  });

  it('keeps the pool of a day-2 host when other settings change', () => {
    const pool = command('ReviseSettings', { changes: { machineConfigPoolName: 'infra' } });
    const named = [...day2('known'), ...when(day2('known'), pool).events];
    const changes = { nodeLabels: '{"a":"b"}' };
    expect(when(named, command('ReviseSettings', { changes })).state).toMatchObject({
      machineConfigPoolName: 'infra',
      isPoolNameChosen: true,
      settings: changes,
    });
  });
});

it('a report of the first stage after a later one is refused as an earlier stage', () => {
  const history = [...day1('installing-in-progress'), progressed('Installing')];
  const { row, refusal, allowed } = when(history, command('ReportProgress', { stage: 'Starting installation' }));
  expect([row, refusal, allowed?.[0]]).toEqual(['progress-backward', 'not-allowed-in-state', 'Installing']);
});

it('a machine with another second network card makes another claim', () => {
  const claim = (...macAddresses: string[]) => ({ macAddresses, serialNumber: 's', bootId: '', sourceAddress: '' });
  expect(isSameClaim(claim('a', 'b'), claim('a', 'b'))).toBe(true);
  expect(isSameClaim(claim('a', 'b'), claim('a', 'c'))).toBe(false);
});

it('an empty host name and a valid one are accepted', () => {
  expect(['', 'node-1.example.com'].map(hostnameRefusal)).toEqual([undefined, undefined]);
  expect(hostnameRefusal('Node')).toMatchObject({ code: 'invalid-input', subject: 'host_name' });
});

describe('the events of a host', () => {
  it('name the status before, which is empty for a new host', () => {
    const fromOf = (result: ReturnType<typeof when>) =>
      result.events.flatMap((event) => (event.type === 'HostEnteredStatus' ? [event.data.from] : []));
    expect(fromOf(when([], command('Register')))).toEqual(['']);
    expect(fromOf(when(day1('insufficient'), command('Register')))).toEqual(['insufficient']);
  });

  it('contain the installation disk when its path changes between two boots', () => {
    const choose = (diskPath: string) =>
      command('ChooseInstallationDisk', { diskId: '/dev/disk/by-id/wwn-1', diskPath, byUser: false });
    const chosen = [...day1('known'), ...when(day1('known'), choose('/dev/sda')).events];
    expect(when(chosen, choose('/dev/sda')).types).toEqual([]);
    expect(when(chosen, choose('/dev/sdb')).types).toEqual(['InstallationDiskChosen']);
  });

  it('contain a secret that replaces another one', () => {
    const set = command('ReviseSettings', { changes: { fencingCredentialsSet: true } });
    const before = [...day1('known'), ...when(day1('known'), set).events];
    expect(when(before, set).types).toEqual(['HostSettingsRevised']);
  });

  it('name the validations that block the host and have no result', () => {
    const { state } = when(day1('known'), refresh({ sufficientForInstall: false, pendingIds: ['rule-c'] }));
    expect(state.statusReason).toMatchObject({ failing: ['rule-a', 'rule-b'], pending: ['rule-c'] });
  });

  it('name the machine of its first registration, once', () => {
    const register = command('Register', { machine: KNOWN_MACHINE });
    const { events, types } = when([], register);
    expect(types).toEqual(['HostRegistered', 'HostIdentityClaimed', 'HostEnteredStatus']);
    expect(when(events, register).types).toEqual(['HostReregistered']);
  });

  it('contain the return of a host only after it was silent', () => {
    expect(when(day1('known'), command('Return')).types).toEqual([]);
    expect(when([...day1('known'), fellSilent], command('Return')).types).toEqual(['HostReturned']);
  });
});
