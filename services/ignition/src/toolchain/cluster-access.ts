import { randomInt } from 'node:crypto';
import { parse, stringify } from 'yaml';
import { bundleOf, type ClusterPki } from './pki/cluster-pki';
import type { KeyPairPem } from './pki/issue-certificate';

/** Without those that look alike. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_CHARACTERS = 5;

/** Four groups of five characters; more than 110 bits. */
export function kubeadminPassword(): string {
  const group = (): string =>
    Array.from({ length: GROUP_CHARACTERS }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

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

/** Kubeconfigs of a new cluster by file name; each with no more than what its user needs. Secrets. */
export function clusterAccess(name: string, domain: string, pki: ClusterPki) {
  const everywhere = bundleOf(pki, 'kube-apiserver-complete-server-ca-bundle');
  const admin = { clusterName: name, user: 'admin', client: pki.pairs['admin-kubeconfig-client'] };
  return {
    /** For users. */
    noIngress: renderKubeconfig({ ...admin, host: `api.${domain}`, caPem: everywhere }),
    /** For programs on the bootstrap host. */
    onBootstrap: new Map([
      ['kubeconfig', renderKubeconfig({ ...admin, host: `api-int.${domain}`, caPem: everywhere })],
      ['kubeconfig-loopback', renderKubeconfig({ ...admin, host: 'localhost', caPem: everywhere })],
      [
        'kubeconfig-kubelet',
        renderKubeconfig({
          clusterName: name,
          user: 'kubelet',
          host: `api-int.${domain}`,
          caPem: everywhere,
          client: pki.pairs['kubelet-client'],
        }),
      ],
    ]),
  };
}
