import type { ClusterSettings, Plain } from '@muster/contracts';
import type { ControlPlaneHost } from '@muster/feature-support';
import { after, registration, START } from '../cluster.fixture.spec';
import type { ReviseCluster } from '../commands';
import type { ClusterState } from '../state';
import { clusterInputRefusal } from './input';

const MASTER: ControlPlaneHost = { role: 'master', hasFencingCredentials: false };
const ARBITER: ControlPlaneHost = { role: 'arbiter', hasFencingCredentials: false };
const FENCED: ControlPlaneHost = { role: 'master', hasFencingCredentials: true };
const ODF = { olmOperators: { items: [{ name: 'odf', properties: '', sourceBundles: [] }] } };

const revise = (changes: Plain<ClusterSettings>, controlPlaneHosts?: readonly ControlPlaneHost[]): ReviseCluster => ({
  type: 'Revise',
  changes,
  pullSecretReplaced: false,
  controlPlaneHosts,
  at: START,
});
const cluster = (settings: Plain<ClusterSettings> = {}): ClusterState =>
  after(registration({ openshiftVersion: '4.20.3', platformType: 'baremetal', controlPlaneCount: 2, ...settings }));
const refusal = (hosts: readonly ControlPlaneHost[] | undefined, changes: Plain<ClusterSettings>, of = cluster()) =>
  clusterInputRefusal(revise(changes, hosts), of);

describe('the hosts of a cluster', () => {
  it.each([
    ['an arbiter', [MASTER, MASTER, ARBITER], 'vsphere', 'TNA Clusters', 'vSphere Platform Integration'],
    ['an arbiter', [ARBITER], 'none', 'TNA Clusters', 'None Platform Integration'],
    ['two fenced masters', [FENCED, FENCED], 'external', 'TNF Clusters', 'External Platform Integration'],
  ])('refuse, as %s (%j), the platform %s', (_, hosts, platformType, feature, platform) => {
    expect(refusal(hosts, { platformType })).toMatchObject({
      code: 'invalid-input',
      subject: 'platform.type',
      reason: `${feature} cannot be used together with ${platform}.`,
    });
  });

  it.each([
    ['masters', [MASTER, MASTER]],
    ['one fenced master', [FENCED, MASTER]],
    ['no host', []],
    ['unknown hosts', undefined],
  ])('accept, as %s, another platform', (_, hosts) => {
    expect(refusal(hosts, { platformType: 'vsphere' })).toBeUndefined();
  });

  it('accept other changes of a cluster whose platform does not support them', () => {
    const vsphere = cluster({ platformType: 'vsphere' });
    const hosts = [MASTER, MASTER, ARBITER];
    expect(refusal(hosts, ODF, vsphere)).toBeUndefined();
    expect(refusal(hosts, { platformType: 'vsphere' }, vsphere)).toBeUndefined();
    expect(refusal(hosts, { platformType: 'baremetal' }, vsphere)).toBeUndefined();
    expect(refusal(hosts, { platformType: 'nutanix' }, vsphere)).toMatchObject({ subject: 'platform.type' });
  });
});

it('a refusal of two features names the field of the new one', () => {
  const single = after(registration({ controlPlaneCount: 1 }));
  expect(refusal([], ODF, single)).toMatchObject({ subject: 'olm_operators' });
});
