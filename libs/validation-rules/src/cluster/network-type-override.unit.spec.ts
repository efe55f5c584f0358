import { toClusterSettingsFacts } from '../facts/cluster-settings.facts';
import { sampleCluster } from '../facts/sample.facts';
import { evaluateCluster } from './cluster-rules.table';

/** The outcomes of a cluster with the network types of its settings and of its install-config overrides. */
function outcomes(networkType: string, overriding?: string, hasCustomManifest = false) {
  const settings = {
    networkType,
    clusterNetworks: { items: [{ cidr: '10.128.0.0/22', hostPrefix: 23 }] },
    installConfigOverrides: { document: undefined, omitsConsole: false, isFips: false, networkType: overriding },
  };
  const registered = { kind: 'Cluster', imported: false, pullSecretSet: true, settings };
  const evaluated = evaluateCluster(
    sampleCluster({ settings: toClusterSettingsFacts(registered, { hasCustomManifest }) }),
  );
  return Object.fromEntries(evaluated.map(({ id, status }) => [id, status]));
}

const MANIFESTS = 'custom-manifests-requirements-satisfied';
const PREFIX = 'network-prefix-valid';

describe('the network type of install-config overrides', () => {
  it('requires a custom manifest when it is not part of OpenShift', () => {
    expect(outcomes('OVNKubernetes', 'Cilium')).toMatchObject({ [MANIFESTS]: 'failure' });
    expect(outcomes('OVNKubernetes', 'Cilium', true)).toMatchObject({ [MANIFESTS]: 'success' });
    expect(outcomes('Cilium', 'OVNKubernetes')).toMatchObject({ [MANIFESTS]: 'success' });
  });

  it('determines the host prefix', () => {
    expect(outcomes('OVNKubernetes', 'Cilium')).toMatchObject({ [PREFIX]: 'success' });
    expect(outcomes('Cilium', 'OVNKubernetes')).toMatchObject({ [PREFIX]: 'failure' });
  });

  it.each([undefined, ''])('does not replace that of the settings when it is %j', (none) => {
    expect(outcomes('OVNKubernetes', none)).toMatchObject({ [MANIFESTS]: 'success', [PREFIX]: 'failure' });
    expect(outcomes('Cilium', none)).toMatchObject({ [MANIFESTS]: 'failure', [PREFIX]: 'success' });
  });

  it('does not change whether the network type of the settings is valid', () => {
    expect(outcomes('OVNKubernetes', 'Token Ring')).toMatchObject({ 'network-type-valid': 'success' });
    expect(outcomes('Token Ring', 'OVNKubernetes')).toMatchObject({ 'network-type-valid': 'failure' });
  });
});
