import type { HostDocument } from '@muster/assisted-api';
import {
  clusterRegistered,
  type TestEvent,
  hostRegistered,
  infraEnvRegistered,
  onHost,
  onInfraEnv,
  onInventory,
  viewsAfter,
} from './view-events.fixture.spec';

const GB = 1_000_000_000;
const disk = (name: string, sizeGb: number, more: object = {}) => ({
  name,
  driveType: 'SSD',
  sizeBytes: sizeGb * GB,
  ...more,
});
const reported = (...disks: object[]): TestEvent => onInventory('InventoryReported', { hardware: { disks } as never });
const reasonsOf = (host: HostDocument) => (host._disks ?? []).map(({ reasons }) => reasons);

describe('the eligibility of disks', () => {
  it('is reported for each disk with its name and the reasons against it', async () => {
    const { host } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      reported(
        disk('sda', 120, { id: 'wwn-1' }),
        disk('sdb', 20),
        disk('sr0', 20, { driveType: 'ODD', agentReasons: ['Disk is removable'] }),
      ),
    );
    expect(host._disks?.map(({ name, id, reasons }) => [name, id, reasons.length])).toEqual([
      ['sda', 'wwn-1', 0],
      ['sdb', '/dev/sdb', 1],
      ['sr0', '/dev/sr0', 3],
    ]);
    expect(reasonsOf(host)[1]).toEqual(['Disk has 20.0 GB, 100 GB are required']);
    expect(reasonsOf(host)[2]?.[0]).toBe('Disk is removable');
  });

  it.each([
    ['4.13', 1],
    ['4.18', 0],
  ])('depends on the release of the cluster: %s has %i reasons against RAID', async (openshiftVersion, count) => {
    const { host } = await viewsAfter(
      clusterRegistered({ settings: { name: 'demo', openshiftVersion } }),
      hostRegistered(),
      reported(disk('md0', 120, { driveType: 'RAID' })),
    );
    expect(reasonsOf(host)[0]).toHaveLength(count);
  });

  it('depends on the release of the infra-env while the host is in no cluster', async () => {
    const { host } = await viewsAfter(
      infraEnvRegistered(),
      onInfraEnv('InfraEnvSettingsRevised', { changes: { openshiftVersion: '4.18' } }),
      hostRegistered({ clusterId: '' }),
      reported(disk('md0', 120, { driveType: 'RAID' })),
    );
    expect(reasonsOf(host)).toEqual([[]]);
  });

  it('depends on the release of the infra-env for a day-2 host', async () => {
    const { host } = await viewsAfter(
      clusterRegistered({ settings: { name: 'demo', openshiftVersion: '4.12' } }),
      infraEnvRegistered(),
      onInfraEnv('InfraEnvSettingsRevised', { changes: { openshiftVersion: '4.18' } }),
      hostRegistered({ kind: 'AddToExistingClusterHost' }),
      reported(disk('md0', 120, { driveType: 'RAID' })),
    );
    expect(reasonsOf(host)).toEqual([[]]);
  });

  it('is updated when the role requires another size', async () => {
    const events = [clusterRegistered(), hostRegistered(), reported(disk('sda', 60), disk('sdb', 20))];
    const sizes = async (...more: TestEvent[]) => reasonsOf((await viewsAfter(...events, ...more)).host);
    expect(await sizes()).toEqual([
      ['Disk has 60.0 GB, 100 GB are required'],
      ['Disk has 20.0 GB, 100 GB are required'],
    ]);
    const arbiter = onHost('HostRoleAssigned', { role: 'arbiter' });
    expect(await sizes(arbiter)).toEqual([[], ['Disk has 20.0 GB, 50 GB are required']]);
    expect(await sizes(arbiter, onHost('HostRoleAssigned', { role: 'worker' }))).toEqual(await sizes());
    expect(await sizes(onHost('HostRoleSuggested', { role: 'arbiter' }))).toEqual(await sizes(arbiter));
  });

  it('is removed with the inventory', async () => {
    const { host } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      reported(disk('sda', 120)),
      onHost('HostReregistered', { inventoryKept: false }),
    );
    expect(host).not.toHaveProperty('_disks');
  });

  it('ignores a report of an earlier generation', async () => {
    const { host } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      onHost('HostReregistered', { inventoryKept: false }),
      reported(disk('sda', 120)),
    );
    expect(host).not.toHaveProperty('_disks');
  });
});
