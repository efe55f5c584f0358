import { CONTROL_PLANE_LABEL, KUBE_RESOURCES } from '@muster/host-api';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import { DURATIONS_MS } from '../durations';
import type { SimulatedTimer } from '../timer';
import { createIngressCa } from './ingress-ca';
import type { SimulatedCluster, SimulatedWorld } from './simulated-cluster';

const READY_EVENT = 'AssistedControllerIsReady';
const MCS_POD = 'machine-config-server-simulated';
const CONFIG = 'rendered-master-simulated';

/** What the machine-config server logged: one line for each host that fetched its ignition. */
export function machineConfigServerLog({ ignitionFetchedBy }: SimulatedCluster, world: SimulatedWorld): string {
  return [...ignitionFetchedBy]
    .flatMap((hostId) => world.host(hostId).addresses)
    .map(
      (address) =>
        `Pool master requested by address:"${address.includes(':') ? `[${address}]` : address}:34567" User-Agent:"Ignition/2.20.0"\n`,
    )
    .join('');
}

/** The API of a simulated cluster. Operators become available some time after they are first asked for. */
export function createSimulatedClusterApi(
  cluster: SimulatedCluster,
  world: SimulatedWorld,
  timer: SimulatedTimer,
): ClusterApi {
  const rolledOut = cluster.rolledOut;
  /** Whether `what` is rolled out; the first question starts it. */
  const isRolledOut = (what: string, durationMs: number, signal: AbortSignal): boolean => {
    const state = rolledOut.get(what);
    if (state === undefined) {
      rolledOut.set(what, false);
      void timer.work(durationMs, signal).then(() => rolledOut.set(what, true));
    }
    return state === true;
  };
  const operator = (name: string, signal: AbortSignal): KubeObject => {
    const isAvailable = isRolledOut(name, DURATIONS_MS.operatorRollout, signal);
    const [type, message] = isAvailable
      ? ['Available', 'all replicas are up']
      : ['Progressing', 'pods are being rolled out'];
    return { metadata: { name }, status: { conditions: [{ type, status: 'True', message }] } };
  };
  const configMap = async (namespace: string, name: string): Promise<KubeObject | undefined> => {
    const key = `${namespace}/${name}`;
    const data = (content: object): KubeObject => ({ metadata: { name, namespace }, data: content });
    if (key === 'kube-system/cluster-config-v1' && cluster.installConfig)
      return data({ 'install-config': cluster.installConfig });
    if (key !== 'openshift-config-managed/default-ingress-cert') return undefined;
    cluster.ingressCa ??= await createIngressCa(Date.now());
    return data({ 'ca-bundle.crt': cluster.ingressCa });
  };
  const nodes = (): readonly KubeObject[] =>
    [...cluster.nodes].map(([hostId, { isControlPlane, isReady }]) => ({
      metadata: {
        name: world.host(hostId).hostname,
        labels: labelsOf(isControlPlane),
        annotations: {
          'machineconfiguration.openshift.io/currentConfig': CONFIG,
          'machineconfiguration.openshift.io/desiredConfig': CONFIG,
        },
      },
      status: {
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
        addresses: world.host(hostId).addresses.map((address) => ({ type: 'InternalIP', address })),
      },
    }));

  return {
    get: async ({ name, namespace = '', resource }, signal) => {
      switch (resource) {
        case KUBE_RESOURCES.configMaps:
          return configMap(namespace, name);
        case KUBE_RESOURCES.clusterOperators:
        case KUBE_RESOURCES.clusterVersions:
          return operator(name, signal);
        case KUBE_RESOURCES.subscriptions:
          return {
            metadata: { name },
            status: isRolledOut(`subscription ${name}`, DURATIONS_MS.olmRollout / 2, signal)
              ? { installedCSV: `${name}.v1` }
              : {},
          };
        case KUBE_RESOURCES.clusterServiceVersions: {
          const isDone = isRolledOut(`csv ${name}`, DURATIONS_MS.olmRollout / 2, signal);
          return { metadata: { name }, status: { phase: isDone ? 'Succeeded' : 'Installing' } };
        }
        case KUBE_RESOURCES.machineConfigs:
          return { metadata: { name } };
        default:
          return undefined;
      }
    },
    list: async (resource: KubeResource, { labelSelector }) => {
      if (resource === KUBE_RESOURCES.nodes)
        return nodes().filter(({ metadata }) => !labelSelector || labelSelector in (metadata.labels ?? {}));
      if (resource === KUBE_RESOURCES.events && cluster.isControllerReady) return [{ metadata: { name: READY_EVENT } }];
      if (resource === KUBE_RESOURCES.pods && labelSelector === 'k8s-app=machine-config-server')
        return [{ metadata: { name: MCS_POD } }];
      return [];
    },
    create: async (resource, { metadata }) => {
      if (resource !== KUBE_RESOURCES.events || metadata.name !== READY_EVENT) return true;
      const isNew = !cluster.isControllerReady;
      cluster.isControllerReady = true;
      world.changed();
      return isNew;
    },
    patch: async () => undefined,
    replace: async () => undefined,
    delete: async () => undefined,
    podLog: async ({ name }) => (name === MCS_POD ? machineConfigServerLog(cluster, world) : ''),
  };
}

const labelsOf = (isControlPlane: boolean): { readonly [name: string]: string } =>
  isControlPlane ? { [CONTROL_PLANE_LABEL]: '' } : {};
