import type { IgnitionEvent } from '@muster/contracts';
import { userManifestsAfter } from './user-manifests';

const stored = (fileName: string, source = 'user', formerFileName = ''): IgnitionEvent => ({
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
const removed = (fileName: string): IgnitionEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId: 'c', folder: 'manifests', fileName },
});
const after = (...events: readonly IgnitionEvent[]): readonly string[] =>
  events.reduce<readonly string[]>(userManifestsAfter, []);

describe('manifests that people gave', () => {
  it('are there until they are removed', () => {
    expect(after(stored('b.yaml'), stored('a.yaml'))).toEqual(['manifests/a.yaml', 'manifests/b.yaml']);
    expect(after(stored('a.yaml'), removed('a.yaml'))).toEqual([]);
  });

  it('are not those that the service adds', () => {
    expect(after(stored('a.yaml', 'system'))).toEqual([]);
    expect(after(stored('a.yaml'), stored('a.yaml', 'system'))).toEqual([]);
  });

  it('move', () => {
    expect(userManifestsAfter(['openshift/a.yaml'], stored('b.yaml', 'user', 'a.yaml'))).toEqual(['manifests/b.yaml']);
  });

  it('are the same list when nothing happened to them', () => {
    const known = ['manifests/a.yaml'];
    expect(userManifestsAfter(known, stored('a.yaml'))).toBe(known);
    expect(userManifestsAfter(known, removed('b.yaml'))).toBe(known);
    expect(userManifestsAfter(known, { type: 'ArtifactsDiscarded', data: { clusterId: 'c' } })).toBe(known);
  });
});
