import { completedChanges } from './cluster-input';

const [cluster4, cluster6] = [
  { cidr: '10.132.0.0/14', hostPrefix: 24 },
  { cidr: 'fd01::/48', hostPrefix: 64 },
];
const list = (...items: string[]): { items: string[] } => ({ items });
const PRESENT = {
  clusterNetworks: { items: [cluster4, cluster6] },
  serviceNetworks: list('172.31.0.0/16', 'fd02::/112'),
  machineNetworks: list('192.0.2.0/24', 'fd00::/64'),
};

describe('completedChanges', () => {
  it.each([
    [{ clusterNetworkCidr: '10.64.0.0/14' }, { cidr: '10.64.0.0/14', hostPrefix: 24 }],
    [{ clusterNetworkHostPrefix: 25 }, { cidr: '10.132.0.0/14', hostPrefix: 25 }],
    [
      { clusterNetworkCidr: '10.64.0.0/14', clusterNetworkHostPrefix: 26 },
      { cidr: '10.64.0.0/14', hostPrefix: 26 },
    ],
  ])('changes with %j only that part of the first cluster network', (firstNetworks, first) => {
    expect(completedChanges({ firstNetworks }, PRESENT)).toEqual({ clusterNetworks: { items: [first, cluster6] } });
  });

  it.each([
    ['fd03::/48', cluster4, 64],
    ['10.64.0.0/14', { cidr: 'fd03::/48', hostPrefix: 60 }, 23],
    ['fd04::/48', { cidr: 'fd03::/48', hostPrefix: 60 }, 60],
  ])('keeps the prefix per host only within one address family (%s)', (cidr, before, hostPrefix) => {
    const present = { clusterNetworks: { items: [before] } };
    const { clusterNetworks } = completedChanges({ firstNetworks: { clusterNetworkCidr: cidr } }, present);
    expect(clusterNetworks).toEqual({ items: [{ cidr, hostPrefix }] });
  });

  it('keeps further service and machine networks', () => {
    const firstNetworks = { serviceNetworkCidr: '172.29.0.0/16', machineNetworkCidr: '192.0.2.128/25' };
    expect(completedChanges({ firstNetworks }, PRESENT)).toEqual({
      serviceNetworks: list('172.29.0.0/16', 'fd02::/112'),
      machineNetworks: list('192.0.2.128/25', 'fd00::/64'),
    });
  });

  it('prefers the lists of the request', () => {
    const changes = { clusterNetworks: { items: [cluster6] }, serviceNetworks: list(), machineNetworks: list() };
    const firstNetworks = { clusterNetworkHostPrefix: 25, serviceNetworkCidr: 'a', machineNetworkCidr: 'b' };
    expect(completedChanges({ changes, firstNetworks }, PRESENT)).toEqual(changes);
  });

  it('begins the lists of a cluster without networks', () => {
    const firstNetworks = { clusterNetworkHostPrefix: 25, machineNetworkCidr: '192.0.2.0/24' };
    expect(completedChanges({ firstNetworks }, {})).toEqual({
      clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 25 }] },
      machineNetworks: list('192.0.2.0/24'),
    });
  });

  it('changes only the given members of an external platform', () => {
    const present = {
      platformType: 'external',
      platformDetails: { external: { platform_name: 'oci', cloud_controller_manager: '' } },
    };
    const given = { external: { cloud_controller_manager: 'External' } };
    for (const changes of [{ platformDetails: given }, { platformType: 'external', platformDetails: given }])
      expect(completedChanges({ changes }, present).platformDetails).toEqual({
        external: { platform_name: 'oci', cloud_controller_manager: 'External' },
      });
    const other = { platformType: 'external', platformDetails: given };
    expect(completedChanges({ changes: other }, { ...present, platformType: 'none' }).platformDetails).toEqual(given);
    expect(completedChanges({ changes: { platformType: 'external' } }, present).platformDetails).toBeUndefined();
  });
});
