import { hostIdOf, isUuid, type MachineIdentity } from './machine.port';

const machine = (parts: Partial<MachineIdentity> = {}): MachineIdentity => ({
  baseboardSerial: '',
  systemUuid: '',
  systemSerial: '',
  macAddresses: [],
  bootId: '',
  ...parts,
});
const UUID = '4C4C4544-0051-3310-8051-B7C04F4D3632';

describe('the id of a host', () => {
  it('is the digest of the board serial in the format of a UUID', () => {
    // printf %s .ABC123.CN7475148L0123. | md5sum
    expect(hostIdOf(machine({ baseboardSerial: '.ABC123.CN7475148L0123.', systemUuid: UUID }))).toBe(
      'c01d071b-72be-3977-1bb2-5aa770057ed0',
    );
  });

  it('depends on the letter case of the serial', () => {
    expect(hostIdOf(machine({ baseboardSerial: 'abc' }))).not.toBe(hostIdOf(machine({ baseboardSerial: 'ABC' })));
  });

  it.each(['', 'Unknown', 'NONE', '(none)', '-', 'Default String', 'Not Specified', 'PCA_NUMBER.ACC'])(
    'is the system UUID when the board serial is %j',
    (baseboardSerial) => {
      expect(hostIdOf(machine({ baseboardSerial, systemUuid: UUID }))).toBe(UUID.toLowerCase());
    },
  );

  it.each(['', 'unknown', '00000000-0000-0000-0000-000000000000', '03000200-0400-0500-0006-000700080009', 'no uuid'])(
    'is derived from the lowest MAC address when the system UUID is %j',
    (systemUuid) => {
      const macAddresses = ['52:54:00:bb:00:01', '52:54:00:aa:00:01'];
      const id = hostIdOf(machine({ systemUuid, macAddresses }));
      expect(isUuid(id)).toBe(true);
      expect(id).toBe(hostIdOf(machine({ macAddresses: [...macAddresses].reverse() })));
      expect(id).not.toBe(hostIdOf(machine({ macAddresses: ['52:54:00:bb:00:01'] })));
    },
  );

  it('is a fixed value when the machine has no serial, UUID or network card', () => {
    expect(hostIdOf(machine())).toBe('deaddead-dead-dead-dead-deaddeaddead');
  });
});
