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
});
