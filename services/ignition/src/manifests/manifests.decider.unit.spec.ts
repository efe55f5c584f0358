import type { IgnitionEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import { type Manifest, manifestsDecider, type ManifestsCommand } from './manifests.decider';

const clusterId = 'c';
const file = (changes: Partial<Manifest> = {}): Manifest => ({
  folder: 'manifests',
  fileName: 'a.yaml',
  source: 'user',
  digest: '1',
  sizeBytes: 5,
  ...changes,
});
const stored = (manifest: Manifest, formerFolder = '', formerFileName = ''): IgnitionEvent => ({
  type: 'ManifestStored',
  data: { clusterId, ...manifest, formerFolder, formerFileName },
});
const removed = (folder: string, fileName: string): IgnitionEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId, folder, fileName },
});
const given = (...history: IgnitionEvent[]) => ({
  when: (command: ManifestsCommand) => givenEvents(manifestsDecider, history).when(command),
});
const store = (manifest: Manifest): ManifestsCommand => ({ type: 'Store', clusterId, manifest });
const move = (from: Manifest, manifest: Manifest): ManifestsCommand => ({ type: 'Move', clusterId, from, manifest });

describe('The manifests of a cluster', () => {
  it('are stored once, and anew when their text is another', () => {
    given()
      .when(store(file()))
      .then([stored(file())]);
    given(stored(file())).when(store(file())).then([]);
    given(stored(file()))
      .when(store(file({ digest: '2' })))
      .then([stored(file({ digest: '2' }))]);
  });

  it('have a name in one folder only', () => {
    given(stored(file()))
      .when(store(file({ folder: 'openshift' })))
      .then('invalid-input');
    given(stored(file()), stored(file({ fileName: 'b.yaml', folder: 'openshift' })))
      .when(move(file(), file({ fileName: 'b.yaml' })))
      .then('invalid-input');
  });

  it('move with their text, and become a person’s', () => {
    const moved = file({ folder: 'openshift' });
    given(stored(file({ source: 'system' })))
      .when(move(file(), moved))
      .then([stored(moved, 'manifests', 'a.yaml')]);
    given(stored(file()), stored(moved, 'manifests', 'a.yaml'))
      .when(store(file()))
      .then('invalid-input');
    given().when(move(file(), moved)).then('not-found');
  });

  it('can be removed more than once', () => {
    const remove: ManifestsCommand = { type: 'Remove', clusterId, folder: 'manifests', fileName: 'a.yaml' };
    given(stored(file()))
      .when(remove)
      .then([removed('manifests', 'a.yaml')]);
    given(stored(file()), removed('manifests', 'a.yaml')).when(remove).then([]);
  });

  it('of the service give way to those of people, and go when they are no longer wanted', () => {
    const own = file({ source: 'system', fileName: 'own.yaml' });
    const other = file({ source: 'system', fileName: 'other.yaml' });
    const storeOwn = (...manifests: Manifest[]): ManifestsCommand => ({ type: 'StoreOwn', clusterId, manifests });
    given()
      .when(storeOwn(own, other))
      .then([stored(own), stored(other)]);
    given(stored(own), stored(other))
      .when(storeOwn(own))
      .then([removed('manifests', 'other.yaml')]);
    given(stored({ ...own, source: 'user' }))
      .when(storeOwn(own))
      .then([]);
  });
});
