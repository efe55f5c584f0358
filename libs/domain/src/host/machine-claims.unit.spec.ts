import { NO_HARDWARE } from '@muster/validation-rules';
import { disk } from '../steps/step-sample.fixture.spec';
import { DEFAULT_HOST_TIMEOUTS } from './deadlines';
import { command, day1, entered, unbound, when } from './host.fixture.spec';
import {
  installationDiskLabel,
  isAnotherMachine,
  isKnownMachineLive,
  isMediaLost,
  isRecent,
  isSameClaim,
  keptDisksRefusal,
  poolNameRefusal,
} from './input';
import { mediaLost } from './reachability.fixture.spec';
import { COMMITTED, HOST_STATUSES, type HostState, initialHost } from './state';

const AT = '2026-01-01T00:10:00.000Z';
const before = (ms: number): string => new Date(Date.parse(AT) - ms).toISOString();
const LIMIT_MS = DEFAULT_HOST_TIMEOUTS.identityClaimMs;
const machine = (...macAddresses: string[]) => ({
  macAddresses,
  serialNumber: 'one',
  bootId: '',
  sourceAddress: '192.0.2.1',
});

describe('two machines', () => {
  it.each([
    ['no address in common', ['a'], ['b'], true],
    ['one address in common', ['a', 'b'], ['b', 'c'], false],
    ['no address of the first', [], ['b'], false],
    ['no address of the second', ['a'], [], false],
  ])('with %s', (_case, first, second, isAnother) => {
    expect(isAnotherMachine(machine(...first), machine(...second))).toBe(isAnother);
    expect(isAnotherMachine(undefined, machine(...second))).toBe(false);
    expect(isAnotherMachine(machine(...first), undefined)).toBe(false);
  });

  it.each([
    [{ serialNumber: 'two' }],
    [{ bootId: 'two' }],
    [{ sourceAddress: '192.0.2.2' }],
    [{ macAddresses: ['a'] }],
    [{ macAddresses: ['a', 'b', 'c'] }],
    [{ macAddresses: ['b', 'a'] }],
  ])('do not make the same claim when the second one has %j', (other) => {
    expect(isSameClaim(machine('a', 'b'), machine('a', 'b'))).toBe(true);
    expect(isSameClaim(machine('a', 'b'), { ...machine('a', 'b'), ...other })).toBe(false);
    expect(isSameClaim(undefined, machine('a', 'b'))).toBe(false);
  });
});

describe('the known machine of a host', () => {
  const known = (changes: Partial<HostState>): HostState => ({ ...initialHost(), status: 'known', ...changes });
  const isLive = (changes: Partial<HostState>, lastClaim?: string): boolean =>
    isKnownMachineLive(known(changes), AT, lastClaim, DEFAULT_HOST_TIMEOUTS);

  it('is live until its last claim is older than the limit', () => {
    expect(isRecent(before(LIMIT_MS), AT, DEFAULT_HOST_TIMEOUTS)).toBe(true);
    expect(isRecent(before(LIMIT_MS + 1), AT, DEFAULT_HOST_TIMEOUTS)).toBe(false);
    expect(isRecent('', AT, DEFAULT_HOST_TIMEOUTS)).toBe(false);
    expect(isLive({ machineClaimedAt: before(LIMIT_MS) })).toBe(true);
    expect(isLive({ machineClaimedAt: before(LIMIT_MS + 1) })).toBe(false);
    expect(isLive({ machineClaimedAt: before(LIMIT_MS + 1) }, before(1))).toBe(true);
    expect(isLive({ machineClaimedAt: before(1) }, before(LIMIT_MS + 1))).toBe(false);
  });

  it('is not live while the host is silent', () => {
    expect(isLive({ machineClaimedAt: before(1), isSilent: true })).toBe(false);
  });

  it.each(HOST_STATUSES)('in status %s is live without a claim when the host is part of a cluster', (status) => {
    expect(isLive({ status, isSilent: true })).toBe(COMMITTED.includes(status));
  });
});

describe('the media of a host', () => {
  it('follow the validation, and the events before the first evaluation', () => {
    const lost = { ...initialHost(), isMediaConnected: false };
    expect([isMediaLost(undefined, lost), isMediaLost(undefined, initialHost())]).toEqual([true, false]);
  });

  it.each([
    ['discovering', [...day1('disconnected'), mediaLost]],
    ['discovering', [...day1('error', 'media'), mediaLost, entered('resetting-pending-user-action')]],
    ['discovering-unbound', [...unbound('disconnected-unbound'), mediaLost]],
  ] as const)('are connected again when the machine has booted from them and registers (%s)', (status, history) => {
    const { state, events, types } = when(history, command('Register'));
    expect(types.slice(0, 2)).toEqual(['HostMediaReconnected', 'HostReregistered']);
    expect(state).toMatchObject({ status, isMediaConnected: true });
    const evaluated = when([...history, ...events], command('Refresh', { conditions: undefined }));
    expect(evaluated.state.status).toBe(status);
  });

  it('stay lost when the agent registers again while the host is prepared', () => {
    const { types } = when([...day1('preparing-successful'), mediaLost], command('Register'));
    expect(types).not.toContain('HostMediaReconnected');
  });
});

describe('the label of an installation disk', () => {
  const id = '/dev/disk/by-id/wwn-1';
  const installationDisk = { id, path: '/dev/sda', isChosenByPerson: false };
  const labelOf = (...disks: ReturnType<typeof disk>[]) =>
    installationDiskLabel({ installationDisk }, { ...NO_HARDWARE, disks });

  it('contains the model and the serial number that are known', () => {
    const one = disk({ id, name: 'sda', model: 'QEMU', serial: '7' });
    expect(labelOf(disk({ id: 'other' }), one)).toBe(`QEMU 7 (sda, ${id})`);
    expect(labelOf({ ...one, serial: '' })).toBe(`QEMU (sda, ${id})`);
    expect(labelOf({ ...one, model: '', serial: '' })).toBe(`(sda, ${id})`);
  });

  it('is undefined when the host does not report the disk', () => {
    expect(labelOf(disk({ id: 'other' }))).toBeUndefined();
    expect(installationDiskLabel({ installationDisk }, undefined)).toBeUndefined();
  });
});

describe('the disks that are not formatted', () => {
  it.each([[[]], [['/dev/disk/by-id/wwn-1', '/dev/sdb']]])('may be %j', (ids) => {
    expect(keptDisksRefusal(ids)).toBeUndefined();
  });

  it.each(['', '/dev/sda,/dev/sdb'])('cannot contain %j, because commas separate the ids', (id) => {
    expect(keptDisksRefusal(['/dev/sdb', id])).toMatchObject({
      code: 'invalid-input',
      subject: 'disks_skip_formatting',
    });
  });
});

describe('the name of a machine-config pool', () => {
  it.each(['', 'worker', 'infra-1.example', 'a'.repeat(253)])('may be %j', (name) => {
    expect(poolNameRefusal(name)).toBeUndefined();
  });

  it.each(['Worker', 'a'.repeat(254), 'a/b', '-a', 'a.', 'a..b', 'a b', '..'])('cannot be %j', (name) => {
    expect(poolNameRefusal(name)).toMatchObject({ code: 'invalid-input', subject: 'machine_config_pool_name' });
  });
});
