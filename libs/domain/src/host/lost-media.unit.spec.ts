import type { HostEvent } from '@muster/contracts';
import { cluster, command, day1, day2, refresh, when } from './host.fixture.spec';
import { mediaLost } from './reachability.fixture.spec';

describe('a host that failed because it lost its media', () => {
  const failed: readonly HostEvent[] = [...day1('error', 'media'), mediaLost];

  it('is inspected again when it boots while no installation of its cluster runs', () => {
    const preparing = day1('preparing-for-installation');
    const lost = when(preparing, command('LoseMedia'));
    expect(lost.state).toMatchObject({ status: 'error', failedBy: 'media' });
    const { state, events, types } = when([...preparing, ...lost.events], command('Register'));
    expect(types).toEqual(['HostMediaReconnected', 'HostReregistered', 'HostEnteredStatus']);
    expect(state).toMatchObject({ status: 'discovering', failedBy: '', isMediaConnected: true });
    const inspected = when([...preparing, ...lost.events, ...events], refresh({}, cluster('insufficient')));
    expect(inspected.state.status).toBe('known');
  });

  it('stays failed while its cluster is being installed or waits for a reset', () => {
    const { state, events } = when(failed, command('Register', { clusterAcceptsHosts: false }));
    expect(state.status).toBe('error');
    expect(events).toEqual([]);
  });

  it('stays failed after another failure, and on day 2, where it can be reset', () => {
    for (const history of [day1('error', 'restart'), day1('error', 'report'), day2('error', 'media')])
      expect(when(history, command('Register')).state.status).toBe('error');
  });
});
