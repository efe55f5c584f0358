import { summarizeHosts } from '../roles/host-summary';
import { at, clusterIn, host, refresh, refusalOf, rowFor, when } from './cluster.fixture.spec';

describe('one host of a cluster', () => {
  it.each(['CancelInstallation', 'Reset'] as const)('that refuses is enough to refuse the command %s', (type) => {
    const command = { type, refusingHosts: ['worker-1 (disconnected)'], at: at(20) };
    expect(refusalOf(clusterIn('installing'), command)).toMatchObject({
      code: 'host-refuses',
      reason: expect.stringContaining('worker-1 (disconnected)'),
    });
  });

  it.each([
    ['preparing-failed', 'host-failed-to-prepare', 'ready'],
    ['disconnected', 'host-stopped-preparing', 'insufficient'],
    ['preparing-for-installation', 'await-hosts-preparing', 'preparing-for-installation'],
  ])('that is %s decides about the preparation', (status, row, result) => {
    const others = ['master', 'master', 'worker', 'worker'] as const;
    const hosts = summarizeHosts([
      host(status, 'master', { isBootstrap: true }),
      ...others.map((role) => host('preparing-successful', role)),
    ]);
    const state = clusterIn('preparing-for-installation');
    const command = refresh(hosts, { at: at(3) });
    expect(rowFor(command, state)?.id).toBe(row);
    expect(when(state, command).state.status).toBe(result);
  });
});

it('collected logs of another type than controller and host are refused', () => {
  const logs = (logsType: string) =>
    ({
      type: 'RecordLogs',
      report: { kind: 'collected', logsType, hostId: '', body: { digest: 'sha256:0', bytes: 1 } },
      at: at(40),
    }) as const;
  for (const logsType of ['controller', 'host'])
    expect(when(clusterIn('error'), logs(logsType)).events.map(({ type }) => type)).toEqual(['ClusterLogsCollected']);
  expect(refusalOf(clusterIn('error'), logs('all'))).toMatchObject({ code: 'invalid-input', subject: 'logs_state' });
});
