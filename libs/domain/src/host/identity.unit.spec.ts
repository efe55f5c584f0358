import type { HostEvent, MachineIdentity, Plain } from '@muster/contracts';
import { isIntruder } from './identity';
import {
  command,
  day1,
  KNOWN_MACHINE,
  machine,
  minute,
  OTHER_MACHINE,
  progressed,
  refresh,
  START,
  stateAfter,
  when,
  infoOf,
} from './host.fixture.spec';

const claimed: HostEvent = { type: 'HostIdentityClaimed', data: { machine: KNOWN_MACHINE, at: START } };
const known = [...day1('known'), claimed];
const claim = (who: Plain<MachineIdentity>, minutes: number, otherMachineSeenAt?: string) =>
  command('ClaimIdentity', { machine: who, at: minute(minutes), otherMachineSeenAt });
const inConflict = [...known, ...when(known, claim(OTHER_MACHINE, 1)).events];

describe('two live machines with one id', () => {
  it('are a named conflict that users can see', () => {
    const told = when(known, claim(OTHER_MACHINE, 1));
    expect(told.types).toEqual(['HostIdentityConflictDetected']);
    expect(told.state).toMatchObject({
      status: 'known',
      machine: KNOWN_MACHINE,
      conflict: { intruder: OTHER_MACHINE },
    });
    expect(infoOf(told.state)).toContain('52:54:00:00:00:01');
    expect(infoOf(told.state)).toContain('52:54:00:00:00:99');
    expect(infoOf(told.state)).toContain('was known');
  });

  it('stay in view whatever else there is to say', () => {
    const told = when(inConflict, refresh({ sufficientForInstall: false }));
    expect(told.state.status).toBe('insufficient');
    expect(infoOf(told.state)).toContain('Two machines claim');
    expect(infoOf(told.state)).toContain('rule A fails');
  });

  it('are distinguished, so that only reports of the known one count', () => {
    expect(isIntruder(stateAfter(inConflict), OTHER_MACHINE)).toBe(true);
    expect(isIntruder(stateAfter(inConflict), KNOWN_MACHINE)).toBe(false);
    expect(isIntruder(stateAfter(known), OTHER_MACHINE)).toBe(false);
  });

  it('store nothing more while both keep claiming', () => {
    expect(when(inConflict, claim(OTHER_MACHINE, 2, minute(2))).events).toEqual([]);
    expect(when(inConflict, claim(KNOWN_MACHINE, 2, minute(2))).events).toEqual([]);
    expect(when(inConflict, claim(machine('52:54:00:00:00:77'), 2)).events).toEqual([]);
  });

  it.each([
    ['the known one', KNOWN_MACHINE, ['HostIdentityConflictResolved']],
    ['the other', OTHER_MACHINE, ['HostIdentityConflictResolved', 'HostIdentityClaimed']],
  ] as const)('are one again when only %s is left', (_, remaining, types) => {
    const told = when(inConflict, claim(remaining, 10, minute(2)));
    expect(told.types).toEqual(types);
    expect(told.state).toMatchObject({ conflict: undefined, machine: remaining });
    expect(infoOf(told.state)).toBe('was known');
  });

  it('do not disturb each other by registering', () => {
    const first = when(known, command('Register', { machine: OTHER_MACHINE }));
    expect(first.types).toEqual(['HostIdentityConflictDetected']);
    expect(first.state.status).toBe('known');
    const again = when([...known, ...first.events], command('Register', { machine: OTHER_MACHINE }));
    expect(again.refusal).toBe('identity-conflict');
  });

  it('never ruin a running installation, whatever the age of the known machine’s claim', () => {
    const history = [...day1('installing-in-progress'), claimed, progressed('Rebooting')];
    const told = when(history, command('Register', { machine: OTHER_MACHINE, at: minute(30) }));
    expect(told.state).toMatchObject({ status: 'installing-in-progress', conflict: { known: KNOWN_MACHINE } });
  });
});

describe('one machine', () => {
  it('that shows itself again is no news', () => {
    expect(when(known, claim(KNOWN_MACHINE, 1)).events).toEqual([]);
  });

  it('with another card is the same machine', () => {
    const more = { ...KNOWN_MACHINE, macAddresses: [...KNOWN_MACHINE.macAddresses, '52:54:00:00:00:02'] };
    expect(when(known, claim(more, 1)).types).toEqual(['HostIdentityClaimed']);
  });

  it('that takes the place of one long gone is no conflict', () => {
    const told = when(known, claim(OTHER_MACHINE, 10));
    expect(told.types).toEqual(['HostIdentityClaimed']);
    expect(told.state.machine).toEqual(OTHER_MACHINE);
  });

  it('that takes the place of one that fell silent is no conflict', () => {
    const silent: HostEvent = { type: 'HostFellSilent', data: { lastSeenAt: START } };
    expect(when([...known, silent], claim(OTHER_MACHINE, 1)).types).toEqual(['HostIdentityClaimed']);
  });

  it('that is seen all the time is live though its last claim is older than the limit', () => {
    const told = when(known, claim(OTHER_MACHINE, 60, minute(59)));
    expect(told.types).toContain('HostIdentityConflictDetected');
  });

  it('without addresses cannot be distinguished from another', () => {
    const nameless = { ...OTHER_MACHINE, macAddresses: [] };
    expect(when(known, claim(nameless, 1)).types).not.toContain('HostIdentityConflictDetected');
    expect(when(known, claim(nameless, 1)).state.conflict).toBeUndefined();
  });
});
