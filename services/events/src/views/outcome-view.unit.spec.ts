import { OVERRIDES_KEPT_MAX } from './outcome-view';
import { clusterRegistered, onCluster, timeAt, viewsAfter } from './view-events.fixture.spec';

const revised = (changes: object) => onCluster('ClusterSettingsRevised', { changes } as never);
const ignore = (host: string[], cluster: string[], reason?: string) =>
  revised({
    ignoredHostValidations: { items: host },
    ignoredClusterValidations: { items: cluster },
    ...(reason ? { ignoredValidationsReason: reason } : {}),
  });

describe('overrides in the document of a cluster', () => {
  it('contain user, time, reason and validations; the last one applies', async () => {
    const { cluster } = await viewsAfter(
      clusterRegistered(),
      ignore(['ntp-synced'], ['all'], 'a lab'),
      revised({ ignoredHostValidations: { items: [] } }),
    );
    expect(cluster?._overrides).toEqual([
      {
        at: timeAt(1),
        actor: expect.any(String) as string,
        reason: 'a lab',
        host_validation_ids: ['ntp-synced'],
        cluster_validation_ids: ['all'],
      },
      {
        at: timeAt(2),
        actor: expect.any(String) as string,
        reason: 'a lab',
        host_validation_ids: [],
        cluster_validation_ids: ['all'],
      },
    ]);
  });

  it('are complete when the document has no stored history', async () => {
    const { cluster } = await viewsAfter(
      clusterRegistered({ settings: { name: 'demo', ignoredHostValidations: { items: ['ntp-synced'] } } }),
      revised({ ignoredClusterValidations: { items: ['all'] } }),
    );
    expect(cluster?._overrides).toMatchObject([
      { host_validation_ids: ['ntp-synced'], cluster_validation_ids: ['all'], reason: '' },
    ]);
  });

  it('are not added by other settings', async () => {
    const { cluster, log } = await viewsAfter(clusterRegistered(), revised({ baseDnsDomain: 'example.com' }));
    expect(cluster?._overrides).toBeUndefined();
    expect(log.map(({ name }) => name)).not.toContain('validation_overrides_set');
  });

  it('have a limited history', async () => {
    const many = Array.from({ length: OVERRIDES_KEPT_MAX + 5 }, (_, number) => ignore([], ['all'], `reason ${number}`));
    const { cluster } = await viewsAfter(clusterRegistered(), ...many);
    expect(cluster?._overrides).toHaveLength(OVERRIDES_KEPT_MAX);
    expect(cluster?._overrides?.at(-1)?.reason).toBe(`reason ${OVERRIDES_KEPT_MAX + 4}`);
  });

  it('add an entry to the event log when they are set and when they are removed', async () => {
    const { log } = await viewsAfter(clusterRegistered(), ignore(['ntp-synced'], [], 'a lab'), ignore([], [], 'cured'));
    const told = log.filter(({ name }) => name.startsWith('validation_overrides_'));
    expect(told).toMatchObject([
      {
        name: 'validation_overrides_set',
        severity: 'warning',
        message: expect.stringMatching(/demo.*host validations: ntp-synced.*unsupported.*a lab/) as string,
        _props: { reason: 'a lab', host_validation_ids: ['ntp-synced'], unsupported_by_override: true },
      },
      { name: 'validation_overrides_removed', severity: 'info', _props: { unsupported_by_override: false } },
    ]);
  });
});
