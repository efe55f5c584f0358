import { join } from 'node:path';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEvent,
  hostKey,
  hostRegistered,
  recorded,
  temporaryDirectory,
} from '@muster/testing';
import { expectSavedAsReplayed, expectSavedShape } from '@muster/testing/platform';
import { INSTALL_SHAPES, InstallView, VIEW_VERSION } from './install-view';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

describe('the installation view', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    await expectSavedAsReplayed(directory.path, INSTALL_SHAPES, (make) => new InstallView(make));
  });

  it('saves entries of the shape of its version', async () => {
    const file = join(__dirname, 'saved-shape.txt');
    await expectSavedShape(directory.path, file, VIEW_VERSION, INSTALL_SHAPES, (make) => new InstallView(make));
  });

  it('has no entries of a deleted cluster and its hosts, also after the end of the retention', () => {
    const view = new InstallView();
    const events = [
      clusterRegistered(),
      hostRegistered(hostKey(1)),
      hostEvent(hostKey(1), 'HostDeregistered', {}),
      clusterEvent('ClusterDeregistered', {}),
      hostEvent(hostKey(1), 'HostDeadlinePassed', { deadline: 'retention' }),
      clusterEvent('ClusterDeadlinePassed', { deadline: 'retention' }),
    ];
    for (const event of recorded(events)) view.observe(event);
    expect(view.openClusterIds()).toEqual([]);
    expect(view.cluster(CLUSTER_ID)).toBeUndefined();
  });

  it('has no entry of a cluster that was cancelled and deleted, after the end of the retention', () => {
    const view = new InstallView();
    const events = [
      clusterRegistered(),
      clusterEvent('InstallationPreparationStarted', { attempt: 1, at: '2026-01-01T00:00:00.000Z' }),
      clusterEvent('InstallationCancelled', {}),
      clusterEvent('ClusterDeregistered', {}),
    ];
    for (const event of recorded(events)) view.observe(event);
    // The attempt may still store artifacts.
    expect(view.cluster(CLUSTER_ID)).toBeDefined();
    for (const event of recorded([clusterEvent('ClusterDeadlinePassed', { deadline: 'retention' })]))
      view.observe(event);
    expect(view.cluster(CLUSTER_ID)).toBeUndefined();
    expect(view.openClusterIds()).toEqual([]);
  });

  it('has the entry of a deleted cluster until its artifacts are discarded, also after the end of the retention', () => {
    const view = new InstallView();
    const ofArtifacts = (type: 'ArtifactsPrepared' | 'ArtifactsDiscarded') =>
      ({ streamId: `artifact-${CLUSTER_ID}`, event: { type, data: { attempt: 1 } } }) as unknown as ReturnType<
        typeof clusterRegistered
      >;
    const events = [
      clusterRegistered(),
      clusterEvent('InstallationPreparationStarted', { attempt: 1, at: '2026-01-01T00:00:00.000Z' }),
      clusterEvent('ClusterDeregistered', {}),
      ofArtifacts('ArtifactsPrepared'),
      clusterEvent('ClusterDeadlinePassed', { deadline: 'retention' }),
    ];
    for (const event of recorded(events)) view.observe(event);
    expect(view.isOpen(CLUSTER_ID)).toBe(true);
    for (const event of recorded([ofArtifacts('ArtifactsDiscarded')])) view.observe(event);
    expect(view.cluster(CLUSTER_ID)).toBeUndefined();
  });
});
