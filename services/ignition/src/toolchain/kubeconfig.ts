import { parse, stringify } from 'yaml';
import type { ClusterPki } from './cluster-pki';

const API_PORT = 6443;

interface Kubeconfig {
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
}

/** An administrator's access to a cluster, as YAML. A secret. */
export function renderKubeconfig(input: {
  readonly clusterName: string;
  readonly host: string;
  readonly pki: ClusterPki;
}): string {
  const { clusterName, host, pki } = input;
  const certificateAuthority = toBase64(pki.rootCa.certificatePem);
  const server = `https://${host}:${API_PORT}`;
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: clusterName, cluster: { server, 'certificate-authority-data': certificateAuthority } }],
      contexts: [{ name: 'admin', context: { cluster: clusterName, user: 'admin' } }],
      'current-context': 'admin',
      preferences: {},
      users: [
        {
          name: 'admin',
          user: {
            'client-certificate-data': toBase64(pki.admin.certificatePem),
            'client-key-data': toBase64(pki.admin.privateKeyPem),
          },
        },
      ],
    },
    { lineWidth: 0 },
  );
}

/** The same access, which also trusts `caPem`: it is put before the authority of every cluster in the file. */
export function withCertificateAuthority(kubeconfig: string, caPem: string): string {
  const document = parse(kubeconfig) as Kubeconfig;
  const clusters = document.clusters.map((entry) => {
    const own = Buffer.from(entry.cluster['certificate-authority-data'], 'base64').toString();
    return { ...entry, cluster: { ...entry.cluster, 'certificate-authority-data': toBase64(caPem + own) } };
  });
  return stringify({ ...document, clusters }, { lineWidth: 0 });
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');
