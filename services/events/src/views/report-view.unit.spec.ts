import { type ClusterDocument, COLLECTIONS, type IpCollisions, presentCluster } from '@muster/assisted-api';
import { withCollisions } from './report-view';
import {
  CLUSTER_ID,
  clusterRegistered,
  documentsAfter,
  hostRegistered,
  onCluster,
  onHost,
  onInventory,
  record,
  viewsAfter,
} from './view-events.fixture.spec';

const IMAGE = { name: 'a', sizeBytes: 5, seconds: 1, downloadRateMbps: 5, result: 'success' };
const nic = (...ipv4Addresses: string[]) => ({
  name: 'eth0',
  macAddress: '52:54:00:00:00:01',
  ipv4Addresses,
  ipv6Addresses: [],
  mtu: 1500,
  speedMbps: 1000,
  type: 'physical',
  hasCarrier: true,
});

describe('reports of hosts in the views', () => {
  it('the networks are those of the addresses, each once', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('InventoryReported', {
        hardware: { hostname: 'node-1', nics: [nic('192.168.1.5/24', '192.168.1.6/24'), nic('10.0.0.9/8')] } as never,
      }),
    );
    expect(host._networks).toEqual(['192.168.1.0/24', '10.0.0.0/8']);
    expect(host._reported_hostname).toBe('node-1');
  });

  it('address collisions are shown with the cluster as long as one of its hosts reports them', async () => {
    const seen = (...macAddresses: string[]) =>
      onInventory('ConnectivityReported', { collisions: [{ address: '10.0.0.9', macAddresses }] });
    const history = [clusterRegistered(), hostRegistered(), seen('02', '01')];
    const shown = async (...more: typeof history): Promise<unknown> => {
      const { ip_collisions: text } = presentCluster((await viewsAfter(...history, ...more)).cluster);
      return text === undefined ? undefined : JSON.parse(text);
    };
    expect(await shown()).toEqual({ '10.0.0.9': ['01', '02'] });
    expect(await shown(seen('03', '01'))).toEqual({ '10.0.0.9': ['01', '03'] });
    expect(await shown(onInventory('ConnectivityReported', { collisions: [] }))).toBeUndefined();
    expect(await shown(onInventory('ReportCleared', { stepType: 'connectivity-check' }))).toBeUndefined();
    expect(await shown(onHost('HostUnbound', { clusterId: CLUSTER_ID }))).toBeUndefined();
    expect(await shown(onHost('HostDeregistered'))).toBeUndefined();
    const disconnected = onHost('HostEnteredStatus', { status: 'disconnected' });
    expect(await shown(disconnected)).toBeUndefined();
    expect(await shown(disconnected, onHost('HostUnbound', { clusterId: CLUSTER_ID }))).toBeUndefined();
    const returned = onHost('HostEnteredStatus', { status: 'known' });
    expect(await shown(disconnected, returned)).toEqual({ '10.0.0.9': ['01', '02'] });
  });

  it('address collisions that all hosts of a large cluster report are kept once', async () => {
    const addresses = Array.from({ length: 64 }, (_, n) => [`10.0.0.${n}`, ['02:00:00:00:00:01', '02:00:00:00:00:02']]);
    const change = { clusterId: CLUSTER_ID, seen: Object.fromEntries(addresses) as IpCollisions };
    const changed = (cluster: ClusterDocument, by: 1 | -1) =>
      Array.from({ length: 2_000 }).reduce<ClusterDocument>(
        (after) => withCollisions(after, { ...change, by }),
        cluster,
      );
    const { cluster: before } = await viewsAfter(clusterRegistered());
    const after = changed(before, 1);
    expect(JSON.stringify(after).length - JSON.stringify(before).length).toBeLessThan(8 * 1024);
    expect(JSON.parse(presentCluster(after).ip_collisions ?? '')).toEqual(change.seen);
    expect(presentCluster(changed(after, -1))).not.toHaveProperty('ip_collisions');
  });

  it('virtual hosts are counted as usage of their cluster as long as they belong to it', async () => {
    const virtual = onInventory('InventoryReported', { hardware: { hostname: 'vm-1', isVirtual: true } as never });
    const history = [clusterRegistered(), hostRegistered(), virtual];
    const counted = async (...more: typeof history): Promise<unknown> =>
      (await viewsAfter(...history, ...more)).cluster._usage_counts?.['Cluster managed networking with VMs'];
    expect(await counted()).toBe(1);
    expect(await counted(onHost('HostUnbound', { clusterId: CLUSTER_ID }))).toBeUndefined();
  });

  it('bootable disks are listed for formatting, except removable ones', async () => {
    const disk = { bootable: true, driveType: 'HDD', byPath: '' };
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('InventoryReported', {
        hardware: {
          disks: [
            { ...disk, id: 'd1' },
            { ...disk, id: 'd2', removable: true },
            { ...disk, id: 'd3', bootable: false },
            { ...disk, id: 'd4', driveType: 'FC' },
          ],
        } as never,
      }),
    );
    expect(host.disks_to_be_formatted).toBe('d1');
  });

  it('members with JSON are JSON text as in the v2 API', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('NtpSourcesReported', { sources: [{ sourceName: 'ntp.example', sourceState: 'synced' }] }),
      onInventory('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 4, exitCode: 0 }),
      onInventory('DiskSpeedMeasured', { path: '/dev/sdb', ioSyncDurationMs: 6, exitCode: 1 }),
      onInventory('DomainsResolved', {
        resolutions: [{ domainName: 'api.demo', ipv4Addresses: ['1.2.3.4'], ipv6Addresses: [], cnames: [] }],
      }),
    );
    expect(JSON.parse(host.ntp_sources ?? '')).toEqual([{ source_name: 'ntp.example', source_state: 'synced' }]);
    expect(JSON.parse(host.disks_info ?? '')).toEqual({
      '/dev/sda': { path: '/dev/sda', disk_speed: { tested: true, exit_code: 0, speed_ms: 4 } },
      '/dev/sdb': { path: '/dev/sdb', disk_speed: { tested: true, exit_code: 1, speed_ms: 6 } },
    });
    expect(JSON.parse(host.domain_name_resolutions ?? '')).toEqual({
      resolutions: [{ domain_name: 'api.demo', ipv4_addresses: ['1.2.3.4'], ipv6_addresses: [], cnames: [] }],
    });
  });

  it('a later report about an image replaces the earlier one and keeps those of other images', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('ImageAvailabilityReported', { images: [IMAGE, { ...IMAGE, name: 'b', result: 'failure' }] }),
      onInventory('ImageAvailabilityReported', { images: [{ ...IMAGE, name: 'b' }] }),
    );
    expect(JSON.parse(host.images_status ?? '')).toMatchObject({
      a: { name: 'a', result: 'success' },
      b: { name: 'b', result: 'success' },
    });
  });

  it('the last results of a limited number of disks and images are shown', async () => {
    const numbers = Array.from({ length: 258 }, (_, index) => index);
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('ImageAvailabilityReported', { images: numbers.map((one) => ({ ...IMAGE, name: `i${one}` })) }),
      ...numbers.map((one) =>
        onInventory('DiskSpeedMeasured', { path: `/dev/${one}`, ioSyncDurationMs: 4, exitCode: 0 }),
      ),
    );
    const kept = numbers.slice(2);
    const namesIn = (text = '{}') => Object.keys(JSON.parse(text) as object);
    expect(namesIn(host.images_status)).toEqual(kept.map((one) => `i${one}`));
    expect(namesIn(host.disks_info)).toEqual(kept.map((one) => `/dev/${one}`));
  });

  it('a discarded result is removed', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onInventory('ImageAvailabilityReported', { images: [IMAGE] }),
      onInventory('ReportCleared', { stepType: 'container-image-availability' }),
    );
    expect(host).not.toHaveProperty('images_status');
  });

  it('the VIP check of a host is shown at the VIP of that kind', async () => {
    const { cluster } = await viewsAfter(
      clusterRegistered({
        settings: { name: 'demo', apiVips: { items: ['10.0.0.1'] }, ingressVips: { items: ['10.0.0.1'] } },
      }),
      hostRegistered(),
      onInventory('VipsVerified', { vips: [{ vip: '10.0.0.1', vipType: 'ingress', verification: 'succeeded' }] }),
    );
    expect(cluster.api_vips[0]).not.toHaveProperty('verification');
    expect(cluster.ingress_vips[0]?.verification).toBe('succeeded');
  });

  it('VIPs that are removed and set again have the result that hosts do not report again', async () => {
    const vipsSet = (apiVips: readonly string[], ingressVips: readonly string[]) =>
      onCluster('ClusterSettingsRevised', {
        changes: { apiVips: { items: apiVips }, ingressVips: { items: ingressVips } } as never,
      });
    const { cluster } = await viewsAfter(
      clusterRegistered({
        settings: { name: 'demo', apiVips: { items: ['10.0.0.1'] }, ingressVips: { items: ['10.0.0.2'] } },
      }),
      hostRegistered(),
      onInventory('VipsVerified', {
        vips: [
          { vip: '10.0.0.1', vipType: 'api', verification: 'succeeded' },
          { vip: '10.0.0.2', vipType: 'ingress', verification: 'failed' },
        ],
      }),
      vipsSet([], []),
      vipsSet(['10.0.0.1', '10.0.0.2'], ['10.0.0.2']),
    );
    expect(cluster.api_vips.map(({ verification }) => verification)).toEqual(['succeeded', undefined]);
    expect(cluster.ingress_vips[0]?.verification).toBe('failed');
  });

  it('the VIP check of a host hides no event of a cluster whose stream was paused meanwhile', async () => {
    const [registered, hosts, revised, verified] = record([
      clusterRegistered({ settings: { name: 'demo', apiVips: { items: ['10.0.0.1'] } } }),
      hostRegistered(),
      onCluster('ClusterSettingsRevised', { changes: { tags: 'edge' } as never }),
      onInventory('VipsVerified', { vips: [{ vip: '10.0.0.1', vipType: 'api', verification: 'succeeded' }] }),
    ]);
    const delivered = [registered, hosts, verified, revised].flatMap((event) => event ?? []);
    const documents = await documentsAfter(delivered);
    expect(documents.get(`${COLLECTIONS.clusters}/${CLUSTER_ID}`)).toMatchObject({
      tags: 'edge',
      api_vips: [{ ip: '10.0.0.1', verification: 'succeeded' }],
    });
  });
});
