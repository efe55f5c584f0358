import type { ClusterSettings, Plain } from '@muster/contracts';
import { hostFeatureRefusal } from './features';

const METAL: Plain<ClusterSettings> = {
  openshiftVersion: '4.20.3',
  cpuArchitecture: 'x86_64',
  platformType: 'baremetal',
  controlPlaneCount: 2,
};
const OLD = { ...METAL, openshiftVersion: '4.18.3' };
const ARBITER = { role: 'arbiter', hasFencingCredentials: false };
const FENCED = { role: 'master', hasFencingCredentials: true };
const cluster = (settings: Plain<ClusterSettings>) => ({ kind: 'Cluster', settings }) as const;

describe('what a host brings to its cluster', () => {
  it.each([
    ['an arbiter', ARBITER],
    ['fencing credentials', FENCED],
    ['nothing of the kind', { role: 'worker', hasFencingCredentials: false }],
  ])('%s may be of use', (_what, host) => expect(hostFeatureRefusal(host, cluster(METAL))).toBeUndefined());

  it.each([
    ['an arbiter in an old version', ARBITER, OLD, 'host_role'],
    ['an arbiter on another platform', ARBITER, { ...METAL, platformType: 'vsphere' }, 'host_role'],
    ['fencing in an old version', FENCED, OLD, 'fencing_credentials'],
    ['fencing on another platform', FENCED, { ...METAL, platformType: 'nutanix' }, 'fencing_credentials'],
  ])('%s is refused by its field', (_what, host, settings, subject) => {
    expect(hostFeatureRefusal(host, cluster(settings))).toMatchObject({ code: 'invalid-input', subject });
  });

  it('is not evaluated where the cluster was made elsewhere', () => {
    expect(hostFeatureRefusal(ARBITER, { kind: 'AddHostsCluster', settings: OLD })).toBeUndefined();
  });
});
