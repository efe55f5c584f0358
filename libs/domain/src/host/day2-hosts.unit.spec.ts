import type { HostEvent } from '@muster/contracts';
import { cluster, command, day1, day2, infoOf, progressed, refresh, when } from './host.fixture.spec';
import { hostStages } from './stages';

const DAY2 = 'AddToExistingClusterHost';
const addingHosts = cluster('adding-hosts', true);
const overdue: HostEvent = { type: 'HostDeadlinePassed', data: { deadline: 'pending-user-action' } };

describe('a day-2 host', () => {
  it('fails when its machine restarts before the reboot into the installed system', () => {
    const history = [...day2('installing-in-progress'), progressed('Writing image to disk')];
    const result = when(history, command('Register', { kind: DAY2 }));
    expect(result.state).toMatchObject({ status: 'error', failedBy: 'restart' });
    expect(infoOf(result.state)).toContain('unexpectedly restarted');
  });

  it('waits for the user as long as its machine does not boot from its disk', () => {
    const history = [...day2('installing-pending-user-action'), progressed('Rebooting'), overdue];
    expect(when(history, refresh({}, addingHosts))).toMatchObject({ row: 'user-action-not-needed', types: [] });
  });

  it.each(['error', 'added-to-existing-cluster', 'installing-pending-user-action'] as const)(
    'is reset alone from %s',
    (status) => {
      const result = when(day2(status), command('RequireReset', { scope: 'host' }));
      expect(result.state.status).toBe('resetting-pending-user-action');
    },
  );

  it.each(['master', 'arbiter', 'worker'])('with the role %s reports stages up to its reboot', (role) => {
    const input = { role, isBootstrap: false, isDay2: true, controlPlaneCount: 3 };
    const all = hostStages({ ...input, isDay2: false, isKubeApi: false });
    expect(hostStages({ ...input, isKubeApi: false })).toEqual(all.slice(0, all.indexOf('Rebooting') + 1));
    expect(hostStages({ ...input, isKubeApi: true })).toEqual(all);
  });
});

describe('a day-1 host', () => {
  it('waits for the user when the cluster already adds hosts', () => {
    const history = [...day1('installing-pending-user-action'), progressed('Rebooting'), overdue];
    expect(when(history, refresh({}, addingHosts)).types).toEqual([]);
  });

  it('fails when its machine restarts in a stage after the reboot, because only a day-2 host is done then', () => {
    const result = when([...day1('installing-in-progress'), progressed('Done')], command('Register'));
    expect(result.state).toMatchObject({ status: 'error', failedBy: 'restart' });
  });
});
