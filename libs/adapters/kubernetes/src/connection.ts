import { readFileSync } from 'node:fs';
import { urlHost } from '@muster/schema';
import { parse } from 'yaml';

/** The address and credentials of a cluster's API. */
export interface ClusterConnection {
  /** `https://host:port` */
  readonly server: string;
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  /** Read for each call, because the token of a service account changes. */
  readonly token?: () => string;
}

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly clusters?: readonly {
    readonly name: string;
    readonly cluster: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users?: readonly {
    readonly name: string;
    readonly user: {
      readonly token?: string;
      readonly 'client-certificate-data'?: string;
      readonly 'client-key-data'?: string;
    };
  }[];
}

/**
 * Parses the text of a kubeconfig with embedded certificates.
 * @throws Error that names the missing part
 */
export function readKubeconfig(text: string): ClusterConnection {
  const config = parse(text) as Kubeconfig | null;
  const contexts = config?.contexts ?? [];
  const context = contexts.find(({ name }) => name === config?.['current-context']) ?? contexts[0];
  const cluster = config?.clusters?.find(({ name }) => name === context?.context.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.context.user)?.user ?? {};
  if (!cluster?.server) throw new Error('The kubeconfig has no context with a cluster and its server.');
  const decode = (data: string | undefined): string | undefined =>
    data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
  const { token } = user;
  return {
    server: cluster.server,
    caPem: decode(cluster['certificate-authority-data']),
    certPem: decode(user['client-certificate-data']),
    keyPem: decode(user['client-key-data']),
    ...(token && { token: () => token }),
  };
}

/**
 * Returns the connection of a pod with a service account.
 * @throws Error when the process does not run in a pod
 */
export function inClusterConnection(environment: { readonly [name: string]: string | undefined }): ClusterConnection {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (!host) throw new Error('KUBERNETES_SERVICE_HOST is not set: this process does not run in a pod of a cluster.');
  const folder = environment['SERVICE_ACCOUNT_FOLDER'] ?? SERVICE_ACCOUNT_FOLDER;
  return {
    server: `https://${urlHost(host)}:${port}`,
    caPem: readFileSync(`${folder}/ca.crt`, 'utf8'),
    token: () => readFileSync(`${folder}/token`, 'utf8').trim(),
  };
}
