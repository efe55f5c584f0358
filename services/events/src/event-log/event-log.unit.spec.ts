import {
  clusterRegistered,
  type TestEvent,
  hostRegistered,
  infraEnvRegistered,
  onArtifacts,
  onCluster,
  onClusterOutcomes,
  onHost,
  onHostOutcomes,
  onImage,
  onInfraEnv,
  onInventory,
  timeAt,
  viewsAfter,
} from '../views/view-events.fixture.spec';

const outcome = (id: string, status: string) => ({ id, status, parameters: [] }) as never;

const flapping = (id: string) =>
  ({
    id,
    status: 'failure',
    parameters: [],
    flapping: { since: timeAt(0), flips: 6, windowSeconds: 1_800, quietSeconds: 600 },
  }) as never;

const bootable = (name: string) => ({
  name,
  id: `wwn-${name}`,
  byId: '',
  byPath: '',
  driveType: 'SSD',
  bootable: true,
});

/** Name and severity of the entries that the last event adds. */
async function added(...events: readonly TestEvent[]): Promise<readonly string[]> {
  const before = (await viewsAfter(...events.slice(0, -1))).log.length;
  const { log } = await viewsAfter(...events);
  return log.slice(before).map(({ name, severity }) => `${name} ${severity}`);
}

const cluster = clusterRegistered({ monitoredOperators: [{ name: 'lvm', operatorType: 'olm' } as never] });
const host = hostRegistered();

describe('the event log adds the expected entries when', () => {
  it.each<[string, readonly TestEvent[], readonly string[]]>([
    ['a cluster is created', [cluster], ['cluster_registration_succeeded info']],
    ['a host is reset', [cluster, host, onHost('HostReset')], ['host_installation_reset info']],
    [
      'a reset host waits for a boot',
      [cluster, host, onHost('HostEnteredStatus', { status: 'resetting-pending-user-action', from: 'cancelled' })],
      ['host_status_updated info', 'user_required_complete_installation_reset info'],
    ],
    [
      'the retention of a deleted cluster ends',
      [
        cluster,
        onCluster('ClusterDeregistered', { at: timeAt(9) }),
        onCluster('ClusterDeadlinePassed', { deadline: 'retention' }),
      ],
      ['clusters_permanently_deleted info'],
    ],
    [
      'a preparation begins to wait for others',
      [cluster, onArtifacts('PreparationQueued', { attempt: 1, minute: 1, ahead: 7 })],
      ['preparation_queued info'],
    ],
    [
      'a preparation still waits for others',
      [cluster, onArtifacts('PreparationQueued', { attempt: 1, minute: 2, ahead: 6 })],
      [],
    ],
    ['a cluster is deleted', [cluster, onCluster('ClusterDeregistered')], ['cluster_deregistered info']],
    [
      'an installation fails',
      [cluster, onCluster('ClusterEnteredStatus', { status: 'error', from: 'installing' })],
      ['cluster_status_updated info', 'cluster_installation_failed critical'],
    ],
    [
      'an installation ends with a failed operator',
      [
        cluster,
        onCluster('OperatorStatusReported', { name: 'lvm', status: 'failed' }),
        onCluster('ClusterEnteredStatus', { status: 'installed', from: 'finalizing' }),
      ],
      [
        'cluster_status_updated info',
        'cluster_degraded_OLM_operators_failed warning',
        'cluster_installation_completed info',
      ],
    ],
    [
      'an operator reports the same status again',
      [
        cluster,
        onCluster('OperatorStatusReported', { name: 'lvm', status: 'progressing' }),
        onCluster('OperatorStatusReported', { name: 'lvm', status: 'progressing', statusInfo: 'still' }),
      ],
      [],
    ],
    [
      'the preparation times out',
      [cluster, onCluster('ClusterDeadlinePassed', { deadline: 'preparation' })],
      ['installation_preparing_timed_out warning'],
    ],
    [
      'another deadline passes (no entry)',
      [cluster, onCluster('ClusterDeadlinePassed', { deadline: 'installation' })],
      [],
    ],
    [
      'validations are ignored at installation',
      [
        clusterRegistered({ settings: { name: 'demo', ignoredHostValidations: { items: ['all'] } } }),
        onCluster('InstallationPreparationStarted', { attempt: 1 }),
      ],
      ['validations_ignored info'],
    ],
    ['no validation is ignored', [cluster, onCluster('InstallationPreparationStarted', { attempt: 1 })], []],
    [
      'the proxy changes',
      [cluster, onCluster('ClusterSettingsRevised', { changes: { proxy: { httpProxy: 'http://p' } } })],
      ['proxy_settings_changed info'],
    ],
    [
      'another setting changes',
      [cluster, onCluster('ClusterSettingsRevised', { changes: { baseDnsDomain: 'example.com' } })],
      [],
    ],
    ['a host registers', [cluster, host], ['host_registration_succeeded info']],
    [
      'a host becomes known',
      [host, onHost('HostEnteredStatus', { status: 'known', from: 'discovering' })],
      ['host_status_updated info'],
    ],
    [
      'a host is disconnected',
      [host, onHost('HostEnteredStatus', { status: 'disconnected', from: 'known' })],
      ['host_status_updated warning'],
    ],
    [
      'a host fails',
      [host, onHost('HostEnteredStatus', { status: 'error', from: 'installing' })],
      ['host_status_updated error'],
    ],
    [
      'a host with two bootable disks is installed, and one of them is not formatted',
      [
        host,
        onInventory('InventoryReported', { hardware: { disks: [bootable('sda'), bootable('sdb')] } as never }),
        onHost('HostSettingsRevised', { changes: { skipFormattingDisks: 'wwn-sdb' } }),
        onHost('HostEnteredStatus', { status: 'installing', from: 'preparing-successful' }),
      ],
      ['host_status_updated info', 'quick_disk_format_performed info', 'quick_disk_format_skipped info'],
    ],
    [
      'a host is cancelled',
      [host, onHost('HostEnteredStatus', { status: 'cancelled', from: 'installing' })],
      ['host_status_updated info', 'host_installation_cancelled info'],
    ],
    [
      'the progress of a host changes',
      [host, onHost('HostProgressed', { stage: 'Installing' })],
      ['host_install_progress_updated info'],
    ],
    [
      'a role is suggested for a host',
      [host, onHost('HostRoleSuggested', { role: 'master' })],
      ['host_role_updated info'],
    ],
    [
      'the same role is suggested again',
      [host, onHost('HostRoleSuggested', { role: 'master' }), onHost('HostRoleSuggested', { role: 'master' })],
      [],
    ],
    [
      'two machines use one host id',
      [host, onHost('HostIdentityConflictDetected')],
      ['host_identity_conflict_detected error'],
    ],
    ['a host is removed', [host, onHost('HostDeregistered')], ['host_deregistered info']],
    [
      'a disk is slower than required',
      [host, onInventory('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 11 })],
      ['disk_speed_slower_than_supported warning'],
    ],
    ['a disk is fast enough', [host, onInventory('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 10 })], []],
    [
      'an image is pulled for the first time',
      [host, onInventory('ImageAvailabilityReported', { images: [{ name: 'a', result: 'success' } as never] })],
      ['image_status_updated info'],
    ],
    ['an infra-env is created', [infraEnvRegistered()], ['infra_env_registered info']],
    [
      'a setting changes the image of an infra-env',
      [infraEnvRegistered(), onInfraEnv('InfraEnvSettingsRevised', { changes: { imageType: 'minimal-iso' } })],
      ['image_info_updated info'],
    ],
    [
      'the image of an infra-env is downloaded for the first time',
      [infraEnvRegistered(), onImage('ImageFirstDownloaded', { imageType: 'full-iso' })],
      ['ignition_config_image_generated info'],
    ],
    [
      'the image of an infra-env is downloaded completely',
      [infraEnvRegistered(), onImage('ImageDownloadCompleted', { imageType: 'full-iso' })],
      [],
    ],
  ])('%s', async (_what, events, expected) => {
    expect(await added(...events)).toEqual(expected);
  });

  it.each([
    ['the first evaluation (no entry)', [outcome('a', 'failure')], [], []],
    ['a failure after success', [outcome('a', 'success')], [outcome('a', 'failure')], ['_validation_failed warning']],
    ['a failure after a pending outcome (no warning)', [outcome('a', 'pending')], [outcome('a', 'failure')], []],
    ['an unchanged failure', [outcome('a', 'failure')], [outcome('a', 'failure')], []],
    ['success after a failure', [outcome('a', 'failure')], [outcome('a', 'success')], ['_validation_fixed info']],
    ['success after a pending outcome (no entry)', [outcome('a', 'pending')], [outcome('a', 'success')], []],
    [
      'the change that starts flapping',
      [outcome('a', 'success')],
      [flapping('a')],
      ['_validation_failed warning', '_validation_flapping_started warning'],
    ],
    ['a further change during flapping', [flapping('a')], [flapping('a')], []],
    [
      'a pass that ends flapping',
      [flapping('a')],
      [outcome('a', 'success')],
      ['_validation_fixed info', '_validation_flapping_ended info'],
    ],
    [
      'a failure that is no longer flapping',
      [flapping('a')],
      [outcome('a', 'failure')],
      ['_validation_flapping_ended info'],
    ],
  ])('validations: %s', async (_what, first, then, expected) => {
    const ofHost = await added(
      host,
      onHostOutcomes('HostOutcomesChanged', { changed: first }),
      onHostOutcomes('HostOutcomesChanged', { changed: then }),
    );
    const ofCluster = await added(
      cluster,
      onClusterOutcomes('ClusterOutcomesChanged', { changed: first }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: then }),
    );
    expect(ofHost).toEqual(expected.map((line) => `host${line}`));
    expect(ofCluster).toEqual(expected.map((line) => `cluster${line}`));
  });
});

describe('a host that becomes insufficient', () => {
  it.each([
    ['only waits for results', [], ['ntp-synced'], 'info'],
    ['has a failure', ['has-memory-for-role'], ['ntp-synced'], 'warning'],
    ['has no reason', [], [], 'warning'],
  ])('is logged when it %s, with its severity', async (_reason, failing, pending, severity) => {
    const statusReason = { code: '', failing, pending } as never;
    const entered = onHost('HostEnteredStatus', { status: 'insufficient', from: 'known', statusReason });
    expect(await added(cluster, host, entered)).toEqual([`host_status_updated ${severity}`]);
  });
});
