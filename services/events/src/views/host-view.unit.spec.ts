import { hostReason } from '@muster/domain';
import { UNSET_TIME } from '@muster/assisted-api';
import {
  clusterRegistered,
  HOST_KEY,
  hostRegistered,
  INFRA_ENV_ID,
  onHost,
  onInventory,
  timeAt,
  viewsAfter,
} from './view-events.fixture.spec';

const SOME_BODY = { digest: `sha256:${'a'.repeat(64)}`, bytes: 10 };

describe('the document of a host', () => {
  it('is complete for a new host, with unset times in the format that clients compare', async () => {
    const { host } = await viewsAfter(hostRegistered());
    expect(host).toMatchObject({
      kind: 'Host',
      href: `/api/assisted-install/v2/infra-envs/${INFRA_ENV_ID}/hosts/${host.id}`,
      status: 'discovering',
      role: 'auto-assign',
      media_status: 'connected',
      created_at: timeAt(0),
      registered_at: timeAt(0),
      logs_collected_at: UNSET_TIME,
      progress: { stage_started_at: UNSET_TIME, stage_updated_at: UNSET_TIME, installation_percentage: 0 },
      _host_key: HOST_KEY,
    });
    expect(host).not.toHaveProperty('requested_hostname');
  });

  it('has no cluster id for a host without a cluster', async () => {
    const { host } = await viewsAfter(hostRegistered({ clusterId: '' }));
    expect(host).not.toHaveProperty('cluster_id');
  });

  it('changes the status time with the status but not with its text', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostEnteredStatus', {
        status: 'known',
        from: 'discovering',
        statusReason: hostReason('ready'),
        at: timeAt(1),
      }),
      onHost('HostStatusExplained', { statusReason: hostReason('silent') }),
    );
    expect(host).toMatchObject({ status: 'known', _status_reason: hostReason('silent'), status_updated_at: timeAt(1) });
    expect(host.updated_at).toBe(timeAt(2));
  });

  it('restarts the stage time with the stage; a new text in a stage changes only the update time', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostProgressed', { stage: 'Installing', installationPercentage: 25, stageChanged: true }),
      onHost('HostStageTimedOut', { stage: 'Installing', minutes: 60 }),
      onHost('HostProgressed', { stage: 'Installing', progressInfo: '50%', installationPercentage: 25 }),
    );
    expect(host.progress).toEqual({
      current_stage: 'Installing',
      progress_info: '50%',
      installation_percentage: 25,
      stage_started_at: timeAt(1),
      stage_updated_at: timeAt(3),
      stage_timed_out: true,
    });
  });

  it('changes the check-in time with events of the agent but not with other events', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostProgressed', { stage: 'Installing', stageChanged: true }, 'agent:someone'),
      onHost('HostRoleAssigned', { role: 'master' }),
    );
    expect(host.checked_in_at).toBe(timeAt(1));
  });

  it('keeps the check-in time of a disconnected host', async () => {
    const { host } = await viewsAfter(hostRegistered(), onHost('HostFellSilent', { lastSeenAt: timeAt(0) }));
    expect(host.checked_in_at).toBe(timeAt(0));
  });

  it.each([
    ['registered again', onHost('HostReregistered', { kind: 'Host', clusterId: 'c' })],
    ['was unbound', onHost('HostUnbound', { clusterId: 'c' })],
  ])('shows no connection timeout after the host %s', async (_what, event) => {
    const lost = [hostRegistered(), onHost('HostConnectionTimedOut')];
    expect((await viewsAfter(...lost)).host.connection_timed_out).toBe(true);
    expect((await viewsAfter(...lost, event)).host.connection_timed_out).toBe(false);
  });

  it('has no reports, progress or bootstrap selection after a new registration', async () => {
    const { host } = await viewsAfter(
      hostRegistered({ bootstrap: true }),
      onInventory('InventoryReported', { body: SOME_BODY, hardware: {} as never }),
      onHost('HostProgressed', { stage: 'Rebooting', installationPercentage: 70, stageChanged: true }),
      onHost('HostReregistered', { kind: 'Host', clusterId: 'c', discoveryAgentVersion: 'agent:2' }),
    );
    for (const member of ['_inventory_digest', '_sizes']) expect(host).not.toHaveProperty(member);
    expect(host.progress).not.toHaveProperty('current_stage');
    expect(host).toMatchObject({ bootstrap: false, discovery_agent_version: 'agent:2', registered_at: timeAt(3) });
  });

  it('keeps inventory and bootstrap selection after a new registration during the preparation', async () => {
    const { host } = await viewsAfter(
      hostRegistered({ bootstrap: true }),
      onInventory('InventoryReported', { body: SOME_BODY }),
      onHost('HostReregistered', { kind: 'Host', clusterId: 'c', inventoryKept: true }),
    );
    expect(host).toMatchObject({ bootstrap: true, _inventory_digest: SOME_BODY.digest });
  });

  it('ignores a report of the generation before a new registration', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostReregistered', { kind: 'Host', clusterId: 'c' }),
      onInventory('InventoryReported', { body: SOME_BODY, generation: 1 }),
    );
    expect(host).not.toHaveProperty('_inventory_digest');
  });

  it('contains a report of the new generation', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostReregistered', { kind: 'Host', clusterId: 'c' }),
      onInventory('InventoryReported', { body: SOME_BODY, generation: 2 }),
    );
    expect(host._inventory_digest).toBe(SOME_BODY.digest);
  });

  it('has no log times after the logs were discarded', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostLogsReported', { logsState: 'requested', at: timeAt(1) }),
      onHost('HostLogsCollected', { body: SOME_BODY, at: timeAt(2) }),
    );
    expect(host).toMatchObject({
      logs_info: 'requested',
      logs_started_at: timeAt(1),
      logs_collected_at: timeAt(2),
      _logs_digest: SOME_BODY.digest,
    });
    const cleared = await viewsAfter(
      hostRegistered(),
      onHost('HostLogsReported', { logsState: 'requested', at: timeAt(1) }),
      onHost('HostLogsReported', { logsState: '' }),
    );
    expect(cleared.host).toMatchObject({ logs_info: '', logs_started_at: UNSET_TIME });
  });

  it('equals that of a new host after the host was unbound', async () => {
    const { host } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      onHost('HostRoleAssigned', { role: 'master' }),
      onHost('InstallationDiskChosen', { diskId: 'disk-1', diskPath: '/dev/sda' }),
      onHost('HostUnbound', { clusterId: 'c' }),
    );
    expect(host).toMatchObject({ kind: 'Host', role: 'auto-assign', bootstrap: false });
    for (const member of ['cluster_id', 'installation_disk_id', 'suggested_role'])
      expect(host).not.toHaveProperty(member);
  });

  it.each(['worker', 'arbiter'])('is not the bootstrap host after its role became %s', async (role) => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostBootstrapChosen'),
      onHost('HostRoleAssigned', { role }),
    );
    expect(host.bootstrap).toBe(false);
  });

  it('keeps settings that a revision does not contain, and removes empty ones', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostSettingsRevised', { changes: { nodeLabels: '{"a":"b"}', installerArgs: '["-n"]' } }),
      onHost('HostSettingsRevised', { changes: { installerArgs: '' } }),
    );
    expect(host.node_labels).toBe('{"a":"b"}');
    expect(host).not.toHaveProperty('installer_args');
  });

  it('is removed with the host', async () => {
    const { documents } = await viewsAfter(hostRegistered(), onHost('HostDeregistered'));
    expect([...documents.keys()].filter((key) => key.startsWith('hosts/'))).toEqual([]);
  });

  it('shows the image of the installer as its version', async () => {
    const { host } = await viewsAfter(
      hostRegistered(),
      onHost('HostInstallerChosen', { installerImage: 'installer:2' }),
    );
    expect(host.installer_version).toBe('installer:2');
  });
});
