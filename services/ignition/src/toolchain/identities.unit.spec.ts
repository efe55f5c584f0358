import { infraIdOf, openshiftClusterIdOf } from './identities';
import type { InstallRequest } from './toolchain.port';

const order = (clusterId: string, attempt: number, name = 'demo'): InstallRequest => ({
  clusterId,
  attempt,
  startedAt: '',
  settings: { name },
  installConfigOverrides: '',
  hosts: [],
  operatorManifests: { files: [], later: [] },
  pullSecret: '',
  additionalTrustBundle: '',
  machineNetworks: [],
  ntpServers: [],
  mirrors: [],
  manifests: [],
  serviceCaPem: '',
  invoker: '',
  bootstrapHostId: '',
  vipLeases: { api: '', ingress: '' },
});

describe('the identity of a new cluster', () => {
  it('is a UUID', () => {
    for (let attempt = 1; attempt < 50; attempt += 1)
      expect(openshiftClusterIdOf(order('c', attempt))).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
  });

  it('differs between clusters and between attempts', () => {
    const ids = [order('a', 1), order('a', 2), order('b', 1)].map(openshiftClusterIdOf);
    expect(new Set(ids).size).toBe(3);
    expect(openshiftClusterIdOf(order('a', 1, 'other'))).toBe(ids[0]);
  });

  it('is short enough for use in other names', () => {
    expect(infraIdOf(order('a', 1, 'a-very-long-name-of-a-cluster'))).toMatch(/^a-very-long-name-of-a-[0-9a-f]{5}$/);
  });
});
