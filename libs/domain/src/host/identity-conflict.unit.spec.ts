import type { HostEvent } from '@muster/contracts';
import { cluster, given, infoOf, KNOWN_MACHINE, minute, refresh, when } from './host.fixture.spec';
import { claimed, conflict } from './reachability.fixture.spec';
import type { HostStatus } from './state';

const contested = (status: HostStatus): readonly HostEvent[] => [...given(status), claimed, conflict];
const preparing = cluster('preparing-for-installation');
const SOUND = { failingIds: [] };

describe('a host whose id two machines use', () => {
  it.each([
    ['discovering', 'insufficient', undefined],
    ['insufficient', 'insufficient', undefined],
    ['known', 'insufficient', undefined],
    ['known', 'insufficient', preparing],
    ['preparing-for-installation', 'insufficient', preparing],
    ['preparing-failed', 'insufficient', preparing],
    ['preparing-successful', 'insufficient', preparing],
    ['discovering-unbound', 'insufficient-unbound', undefined],
    ['known-unbound', 'insufficient-unbound', undefined],
    ['disconnected', 'insufficient', undefined],
  ] as const)('is not ready to be installed, although it passes all validations: %s to %s', (from, to, of) => {
    const { state } = when(contested(from), refresh(SOUND, of));
    expect(state.status).toBe(to);
    expect(infoOf(state)).toBe(
      'Two machines claim the id of this host: 52:54:00:00:00:01 at 192.0.2.7 and 52:54:00:00:00:99 at 192.0.2.8. Give one of them another id, or shut it down. Host cannot be installed',
    );
  });

  it('names the validations that fail too', () => {
    const { state } = when(contested('known'), refresh({ sufficientForInstall: false }));
    expect(infoOf(state)).toMatch(/shut it down\. Host cannot be installed due to .*: rule A fails ; rule B fails$/);
  });

  it.each(['installing', 'installing-in-progress', 'installed'] as const)('keeps its installation in %s', (status) => {
    expect(when(contested(status), refresh(SOUND, cluster('installing'))).state.status).toBe(status);
  });

  it.each([
    ['insufficient', 'known'],
    ['insufficient-unbound', 'known-unbound'],
  ] as const)('is ready again when one machine has stopped: %s to %s', (from, to) => {
    const resolved: HostEvent = {
      type: 'HostIdentityConflictResolved',
      data: { remaining: KNOWN_MACHINE, at: minute(9) },
    };
    expect(when([...contested(from), resolved], refresh(SOUND)).state.status).toBe(to);
  });
});
