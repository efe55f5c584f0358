import { presentFeatureUsage } from '@muster/assisted-api';
import { clusterRegistered, type Fact, onManifests, viewsAfter } from './view-events.fixture.spec';

const usageAfter = async (...facts: readonly Fact[]): Promise<string> => {
  const { cluster } = await viewsAfter(clusterRegistered(), ...facts);
  if (!cluster) throw new Error('no cluster');
  return presentFeatureUsage(cluster);
};
const stored = (source: string): Fact =>
  onManifests('ManifestStored', { folder: 'manifests', fileName: 'cni.yaml', source });

describe('manifests in the cluster document', () => {
  it('are reported as used while the cluster has a user manifest', async () => {
    expect(await usageAfter(stored('user'))).toContain('Custom manifest');
    expect(await usageAfter(stored('system'))).not.toContain('Custom manifest');
    const gone = onManifests('ManifestRemoved', { folder: 'manifests', fileName: 'cni.yaml' });
    expect(await usageAfter(stored('user'), gone)).not.toContain('Custom manifest');
  });
});
