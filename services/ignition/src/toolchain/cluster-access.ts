import { randomInt } from 'node:crypto';
import { parseAsKubernetes, stringifyForKubernetes } from '@muster/ignition-config';
import { createReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { bundleOf, type ClusterPki } from './pki/cluster-pki';
import type { KeyPairPem } from './pki/issue-certificate';

/** Letters and digits without those that look alike. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_CHARACTERS = 5;

/** Returns four groups of five characters with more than 110 bits of randomness. */
export function kubeadminPassword(): string {
  const group = (): string =>
    Array.from({ length: GROUP_CHARACTERS }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

const API_PORT = 6443;

const readKubeconfig = createReader(
  Type.Object({
    clusters: Type.Array(
      Type.Object({ name: Type.String(), cluster: Type.Object({ 'certificate-authority-data': Type.String() }) }),
    ),
  }),
  { name: 'the kubeconfig', hidesValues: true },
);

/** Returns a kubeconfig as YAML text. It is a secret. */
export function renderKubeconfig(input: {
  readonly clusterName: string;
  readonly host: string;
  readonly user: string;
  /** Certificate authorities of the API at `host`, PEM. */
  readonly caPem: string;
  readonly client: KeyPairPem;
}): string {
  const { clusterName, host, user, caPem, client } = input;
  const server = `https://${host}:${API_PORT}`;
  return stringifyForKubernetes({
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
  });
}

/** Returns the kubeconfig with `caPem` before the certificate authority of every cluster in it. */
export function withCertificateAuthority(kubeconfig: string, caPem: string): string {
  const document = readKubeconfig(parseAsKubernetes(kubeconfig));
  const clusters = document.clusters.map((entry) => {
    const own = Buffer.from(entry.cluster['certificate-authority-data'], 'base64').toString();
    return { ...entry, cluster: { ...entry.cluster, 'certificate-authority-data': toBase64(caPem + own) } };
  });
  return stringifyForKubernetes({ ...document, clusters });
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns the kubeconfigs of a new cluster by file name, each with the permissions of its user. They are secrets. */
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
