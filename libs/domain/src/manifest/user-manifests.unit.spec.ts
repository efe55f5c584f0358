import type { ManifestEvent } from '@muster/contracts';
import { userManifestsAfter } from './user-manifests';

const stored = (fileName: string, source = 'user', formerFileName = ''): ManifestEvent => ({
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
const removed = (fileName: string): ManifestEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId: 'c', folder: 'manifests', fileName },
});
const after = (...events: readonly ManifestEvent[]): readonly string[] =>
  events.reduce<readonly string[]>(userManifestsAfter, []);

describe('userManifestsAfter', () => {
  it('lists manifests until they are removed', () => {
    expect(after(stored('b.yaml'), stored('a.yaml'))).toEqual(['manifests/a.yaml', 'manifests/b.yaml']);
    expect(after(stored('a.yaml'), removed('a.yaml'))).toEqual([]);
  });

  it('leaves out system manifests', () => {
    expect(after(stored('a.yaml', 'system'))).toEqual([]);
    expect(after(stored('a.yaml'), stored('a.yaml', 'system'))).toEqual([]);
  });

  it('follows a moved manifest', () => {
    expect(userManifestsAfter(['openshift/a.yaml'], stored('b.yaml', 'user', 'a.yaml'))).toEqual(['manifests/b.yaml']);
  });

  it('returns the same array when nothing changed', () => {
    const known = ['manifests/a.yaml'];
    expect(userManifestsAfter(known, stored('a.yaml'))).toBe(known);
    expect(userManifestsAfter(known, removed('b.yaml'))).toBe(known);
  });
});
