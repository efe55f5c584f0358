import { HttpRefused, type ServiceApi } from '@muster/host-api';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import { type Controller, readControllerSettings } from './controller';

export const SETTINGS = { CLUSTER_ID: 'c', INVENTORY_URL: 'http://192.0.2.1:8090', OPENSHIFT_VERSION: '4.18.3' };

/** A cluster that records its changes. Each wait is counted, and `signal` is aborted after `rounds` waits. */
export function controllerWith(
  objects: ReadonlyMap<KubeResource, readonly KubeObject[]>,
  service: Partial<ServiceApi>,
  { rounds = 1, ...changed }: Partial<ClusterApi> & { readonly rounds?: number } = {},
) {
  const changes: string[] = [];
  const ending = new AbortController();
  let waits = 0;
  const describe_ = (name: string, change: unknown): void => void changes.push(`${name} ${JSON.stringify(change)}`);
  const cluster: ClusterApi = {
    get: async ({ name, resource }) => objects.get(resource)?.find(({ metadata }) => metadata.name === name),
    list: async (resource) => objects.get(resource) ?? [],
    create: async () => true,
    patch: async ({ name }, change) => describe_(`patch ${name}`, change),
    replace: async ({ name }, { status }, subresource) => describe_(`replace ${name}/${subresource}`, status),
    delete: async ({ name }) => void changes.push(`delete ${name}`),
    deleteAll: async ({ plural }, namespace) => void changes.push(`delete all ${plural} in ${namespace}`),
    podLog: async () => 'address:"192.0.2.12:40000" User-Agent:"Ignition/2.20.0"',
    ...changed,
  };
  const stages: string[] = [];
  const notes: string[] = [];
  const api = {
    reportHostProgress: async ({ hostId }: { hostId: string }, stage: string) => void stages.push(`${hostId} ${stage}`),
    ...service,
  } as unknown as ServiceApi;
  const controller: Controller = {
    settings: readControllerSettings(SETTINGS, () => undefined),
    api,
    cluster,
    host: {
      folder: '/tmp/controller',
      oc: async () => ({ exitCode: 0, output: '' }),
      writeTemporary: async () => '',
      readFile: async () => undefined,
      archive: async () => Buffer.alloc(0),
    },
    observe: (entry) => {
      if (entry.type === 'note') notes.push(entry.text);
    },
    timer: {
      sleep: async () => {
        if (++waits >= rounds) ending.abort();
      },
    },
  };
  return { changes, controller, notes, signal: ending.signal, stages };
}

/** The service or the cluster refuses a call. */
export const refusal = (status: number, reason = ''): HttpRefused =>
  new HttpRefused({ method: 'PUT', path: '/' }, { status, body: Buffer.from(JSON.stringify({ reason })) });

/** A node of the cluster. */
export const node = (name: string, isReady: boolean): KubeObject => ({
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
/** A host of the service whose node has the same name. */
export const host = (id: string, stage: string, more: object = {}) => ({
  id,
  infra_env_id: 'ie',
  status: 'installing-in-progress',
  role: 'master',
  requested_hostname: id.toUpperCase(),
  progress: { current_stage: stage },
  ...more,
});
/** A pending certificate request of a kubelet. */
export const kubeletRequest = (name: string): KubeObject => ({
  metadata: { name },
  spec: { signerName: 'kubernetes.io/kube-apiserver-client-kubelet' },
});
