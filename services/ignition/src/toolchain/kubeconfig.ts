import { parse, stringify } from 'yaml';
import type { KeyPairPem } from './pki/issue-certificate';

const API_PORT = 6443;

interface Kubeconfig {
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
}

/** A kubeconfig as YAML text. A secret. */
export function renderKubeconfig(input: {
  readonly clusterName: string;
  readonly host: string;
  readonly user: string;
  /** Authorities of the API as it is called under `host`; PEM. */
  readonly caPem: string;
  readonly client: KeyPairPem;
}): string {
  const { clusterName, host, user, caPem, client } = input;
  const server = `https://${host}:${API_PORT}`;
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: clusterName, cluster: { server, 'certificate-authority-data': toBase64(caPem) } }],
      contexts: [{ name: user, context: { cluster: clusterName, user } }],
      'current-context': user,
      preferences: {},
      users: [
        {
          name: user,
          user: {
            'client-certificate-data': toBase64(client.certificatePem),
            'client-key-data': toBase64(client.privateKeyPem),
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
