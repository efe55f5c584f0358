import { parse } from 'yaml';
import { renderKubeconfig, withCertificateAuthority } from './cluster-access';

describe('a kubeconfig', () => {
  const kubeconfig = renderKubeconfig({
    clusterName: 'on',
    host: 'api.on.example.org',
    user: 'admin',
    caPem: 'CA',
    client: { certificatePem: 'C', privateKeyPem: 'K' },
  });

  it('has the name of the cluster as a text, which YAML 1.1 reads as true without quotes', () => {
    const cluster = { clusters: [{ name: 'on' }], contexts: [{ context: { cluster: 'on' } }] };
    for (const text of [kubeconfig, withCertificateAuthority(kubeconfig, 'INGRESS')])
      expect(parse(text, { schema: 'yaml-1.1' })).toMatchObject(cluster);
  });
});
