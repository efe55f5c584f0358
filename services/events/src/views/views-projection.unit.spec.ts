import fc from 'fast-check';
import {
  clusterRegistered,
  documentsAfter,
  type TestEvent,
  hostRegistered,
  infraEnvRegistered,
  onCluster,
  onHost,
  onHostOutcomes,
  onImage,
  onInfraEnv,
  onInventory,
  onManifests,
  onNote,
  record,
} from './view-events.fixture.spec';

const outcome = { id: 'ntp-synced', parameters: [] } as never;

/** A short installation with events of every stream. */
const INSTALLATION_EVENTS: readonly TestEvent[] = [
  clusterRegistered({ monitoredOperators: [{ name: 'console', operatorType: 'builtin' } as never] }),
  infraEnvRegistered(),
  onImage('ImageFirstDownloaded', { imageType: 'full-iso', version: '4.18', arch: 'x86_64' }),
  hostRegistered(),
  onInventory('InventoryReported', { body: { digest: 'sha256:0', bytes: 1 } }),
  onInventory('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 20 }),
  onInventory('ImageAvailabilityReported', { images: [{ name: 'a', result: 'success' } as never] }),
  onHostOutcomes('HostOutcomesChanged', { changed: [{ ...(outcome as object), status: 'success' } as never] }),
  onHostOutcomes('HostOutcomesChanged', { changed: [{ ...(outcome as object), status: 'failure' } as never] }),
  onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
  onHost('HostRoleSuggested', { role: 'worker' }),
  onHost('HostReregistered', { kind: 'Host', clusterId: '11111111-1111-4111-8111-111111111111' }),
  onInfraEnv('InfraEnvSettingsRevised', { changes: { imageType: 'minimal-iso' } }),
  onManifests('ManifestStored', { folder: 'manifests', fileName: 'cni.yaml', source: 'user' }),
  onManifests('ManifestRemoved', { folder: 'manifests', fileName: 'cni.yaml' }),
  onCluster('InstallationPreparationStarted', { attempt: 1 }),
  onHost('HostProgressed', { stage: 'Installing', stageChanged: true, installationPercentage: 20 }),
  onCluster('OperatorStatusReported', { name: 'console', status: 'available' }),
  onCluster('ClusterEnteredStatus', { status: 'installed', from: 'finalizing' }),
  onNote('NoteRecorded', { name: 'reboots_for_node', severity: 'info', category: 'user', message: 'twice' }),
];

describe('the projection of views', () => {
  it('ignores an event that is delivered twice', async () => {
    const events = record(INSTALLATION_EVENTS);
    const once = await documentsAfter(events);
    const twice = await documentsAfter(events.flatMap((event) => [event, event]));
    expect([...twice]).toEqual([...once]);
  });

  it('ignores any part of the events that is delivered again', async () => {
    const events = record(INSTALLATION_EVENTS);
    const once = await documentsAfter(events);
    await fc.assert(
      fc.asyncProperty(fc.nat(events.length - 1), fc.nat(events.length), async (from, length) => {
        const again = events.slice(from, from + length);
        const reached = events.slice(0, from + length);
        const rest = events.slice(from + length);
        expect(await documentsAfter([...reached, ...again, ...rest])).toEqual(once);
      }),
    );
  });

  it('never modifies a document in place, because readers share it', async () => {
    // The fixture freezes every document, so that a modification throws.
    await expect(documentsAfter(record(INSTALLATION_EVENTS))).resolves.toBeInstanceOf(Map);
  });

  it('skips an event of a newer version', async () => {
    const [first] = record([clusterRegistered()]);
    if (!first) throw new Error('no event');
    expect(await documentsAfter([{ ...first, type: 'ClusterDreamt' as never }])).toEqual(new Map());
  });

  it('ignores events of an unknown host', async () => {
    expect(await documentsAfter(record([onHost('HostBootstrapChosen'), onInventory('InventoryReported')]))).toEqual(
      new Map(),
    );
  });
});
