import { clusterRegistered, onCluster, viewsAfter } from './view-events.fixture.spec';

describe('the platform of a cluster', () => {
  const platformDetails = { external: { platform_name: 'oci' } };
  const toExternal = { platformType: 'external', platformDetails };
  const platformAfter = async (...changes: readonly object[]): Promise<object> => {
    const revisions = changes.map((one) => onCluster('ClusterSettingsRevised', { changes: one }));
    return (await viewsAfter(clusterRegistered(), ...revisions)).cluster.platform;
  };

  it('has its details again after earlier events of two changes, which contained only the type', async () => {
    const toBaremetal = { platformType: 'baremetal' };
    expect(await platformAfter(toExternal, toBaremetal)).toEqual({ type: 'baremetal' });
    expect(await platformAfter(toExternal, toBaremetal, { platformType: 'external' })).toEqual({
      type: 'external',
      ...platformDetails,
    });
  });

  it('has none after another platform has cleared them', async () => {
    const toBaremetal = { platformType: 'baremetal', platformDetails: {} };
    expect(await platformAfter(toExternal, toBaremetal, { platformType: 'external' })).toEqual({ type: 'external' });
  });
});
