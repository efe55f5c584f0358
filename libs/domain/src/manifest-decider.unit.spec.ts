import type { ManifestEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import {
  ALL_MANIFESTS_BYTES_MAX,
  type Manifest,
  type ManifestCommand,
  manifestDecider,
  userManifestsAfter,
} from './manifest-decider';

const clusterId = 'c';
const file = (changes: Partial<Manifest> = {}): Manifest => ({
  folder: 'manifests',
  fileName: 'a.yaml',
  source: 'user',
  digest: '1',
  sizeBytes: 5,
  ...changes,
});
const stored = (manifest: Manifest, formerFolder = '', formerFileName = ''): ManifestEvent => ({
  type: 'ManifestStored',
  data: { clusterId, ...manifest, formerFolder, formerFileName },
});
const removed = (folder: string, fileName: string): ManifestEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId, folder, fileName },
});
const given = (...history: ManifestEvent[]) => ({
  when: (command: ManifestCommand) => givenEvents(manifestDecider, history).when(command),
});
const store = (manifest: Manifest): ManifestCommand => ({ type: 'StoreManifest', clusterId, manifest });
const move = (from: Manifest, manifest: Manifest): ManifestCommand => ({
  type: 'MoveManifest',
  clusterId,
  from,
  manifest,
});

describe('manifest decider', () => {
  it('stores an event only when the text changed', () => {
    given()
      .when(store(file()))
      .then([stored(file())]);
    given(stored(file())).when(store(file())).then([]);
    given(stored(file()))
      .when(store(file({ digest: '2' })))
      .then([stored(file({ digest: '2' }))]);
  });

  it('refuses manifests that are too large together, unless they become smaller', () => {
    const large = file({ fileName: 'large.yaml', sizeBytes: ALL_MANIFESTS_BYTES_MAX });
    given(stored(file({ ...large, sizeBytes: ALL_MANIFESTS_BYTES_MAX - 5 })))
      .when(store(file()))
      .then([stored(file())]);
    given(stored(large)).when(store(file())).then('invalid-input');
    given(stored(large), stored(file()))
      .when(move(file(), file({ digest: '2', sizeBytes: 6 })))
      .then('invalid-input');
    const [smaller, moved] = [file({ digest: '2', sizeBytes: 4 }), file({ fileName: 'b.yaml' })];
    given(stored(large), stored(file()))
      .when(store(smaller))
      .then([stored(smaller)]);
    given(stored(large), stored(file()))
      .when(move(file(), moved))
      .then([stored(moved, 'manifests', 'a.yaml')]);
  });

  it('refuses a file name that exists in the other folder', () => {
    given(stored(file()))
      .when(store(file({ folder: 'openshift' })))
      .then('invalid-input');
    given(stored(file()), stored(file({ fileName: 'b.yaml', folder: 'openshift' })))
      .when(move(file(), file({ fileName: 'b.yaml' })))
      .then('invalid-input');
  });

  it('moves a manifest and sets its source to user', () => {
    const moved = file({ folder: 'openshift' });
    given(stored(file({ source: 'system' })))
      .when(move(file(), moved))
      .then([stored(moved, 'manifests', 'a.yaml')]);
    given(stored(file()), stored(moved, 'manifests', 'a.yaml'))
      .when(store(file()))
      .then('invalid-input');
    given().when(move(file(), moved)).then('not-found');
  });

  it('stores nothing when a manifest is moved to its own place with the same text', () => {
    given(stored(file())).when(move(file(), file())).then([]);
    const other = file({ fileName: 'b.yaml' });
    given(stored(file()), stored(other))
      .when(move(file(), other))
      .then([stored(other, 'manifests', 'a.yaml')]);
  });

  it('accepts a repeated removal without an event', () => {
    const remove: ManifestCommand = { type: 'RemoveManifest', clusterId, folder: 'manifests', fileName: 'a.yaml' };
    given(stored(file()))
      .when(remove)
      .then([removed('manifests', 'a.yaml')]);
    given(stored(file()), removed('manifests', 'a.yaml')).when(remove).then([]);
  });

  it('replaces system manifests and keeps user manifests', () => {
    const own = file({ source: 'system', fileName: 'own.yaml' });
    const other = file({ source: 'system', fileName: 'other.yaml' });
    const replaceSystem = (...manifests: Manifest[]): ManifestCommand => ({
      type: 'ReplaceSystemManifests',
      clusterId,
      manifests,
    });
    given()
      .when(replaceSystem(own, other))
      .then([stored(own), stored(other)]);
    given(stored(own), stored(other))
      .when(replaceSystem(own))
      .then([removed('manifests', 'other.yaml')]);
    given(stored({ ...own, source: 'user' }))
      .when(replaceSystem(own))
      .then([]);
  });
});

const storedFile = (fileName: string, source = 'user', formerFileName = ''): ManifestEvent => ({
  type: 'ManifestStored',
  data: {
    clusterId: 'c',
    folder: 'manifests',
    fileName,
    source,
    digest: 'd',
    sizeBytes: 1,
    formerFolder: formerFileName ? 'openshift' : '',
    formerFileName,
  },
});
const removedFile = (fileName: string): ManifestEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId: 'c', folder: 'manifests', fileName },
});
const after = (...events: readonly ManifestEvent[]): readonly string[] =>
  events.reduce<readonly string[]>(userManifestsAfter, []);

describe('userManifestsAfter', () => {
  it('lists manifests until they are removed', () => {
    expect(after(storedFile('b.yaml'), storedFile('a.yaml'))).toEqual(['manifests/a.yaml', 'manifests/b.yaml']);
    expect(after(storedFile('a.yaml'), removedFile('a.yaml'))).toEqual([]);
  });

  it('leaves out system manifests', () => {
    expect(after(storedFile('a.yaml', 'system'))).toEqual([]);
    expect(after(storedFile('a.yaml'), storedFile('a.yaml', 'system'))).toEqual([]);
  });

  it('follows a moved manifest', () => {
    expect(userManifestsAfter(['openshift/a.yaml'], storedFile('b.yaml', 'user', 'a.yaml'))).toEqual([
      'manifests/b.yaml',
    ]);
  });

  it('returns the same array when nothing changed', () => {
    const known = ['manifests/a.yaml'];
    expect(userManifestsAfter(known, storedFile('a.yaml'))).toBe(known);
    expect(userManifestsAfter(known, removedFile('b.yaml'))).toBe(known);
  });
});
