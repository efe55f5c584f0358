import { CONTROL_PLANE_LABEL, CONTROLLER_RETRIES, createServiceApi, KUBE_RESOURCES } from '@muster/host-api';
import { type ClusterApi, ClusterApiError, type KubeObject, type KubeResource } from '@muster/ports';
import { type ControllerHost, type ControllerLogEntry, runController } from '@muster/service-controller';
import { percentOf } from '../installation/host-stages';
import type { SimulationObserver } from '../observer';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import {
  type ControllerConfig,
  type ControllerRule,
  createIngressCa,
  type SimulatedCluster,
  type SimulatedWorld,
} from './simulated-cluster';

const READY_EVENT = 'AssistedControllerIsReady';
const MCS_POD = 'machine-config-server-simulated';
const CONFIG = 'rendered-master-simulated';
const DNS_ADDRESS = '172.30.0.10';
const DNS_OPERATOR = 'openshift-dns-operator';
const FORBIDDEN = 403;

/** Returns the log of the machine-config server: one line for each host that downloaded its Ignition config. */
export function machineConfigServerLog({ ignitionFetchedBy }: SimulatedCluster, world: SimulatedWorld): string {
  return [...ignitionFetchedBy]
    .flatMap((hostId) => world.host(hostId).addresses)
    .map(
      (address) =>
        `Pool master requested by address:"${address.includes(':') ? `[${address}]` : address}:34567" User-Agent:"Ignition/2.20.0"\n`,
    )
    .join('');
}

/** The API of a simulated cluster. Operators become available some time after they are first queried. */
export function createSimulatedClusterApi(
  cluster: SimulatedCluster,
  world: SimulatedWorld,
  timer: SimulatedTimer,
): ClusterApi {
  const rolledOut = cluster.rolledOut;
  /** Whether `what` is rolled out. The first query starts the rollout. */
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
      if (resource === KUBE_RESOURCES.services && cluster.dnsService)
        return [
          { metadata: { name: cluster.dnsService, namespace: 'openshift-dns' }, spec: { clusterIP: DNS_ADDRESS } },
        ];
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
    delete: async ({ name, resource }) => {
      if (resource === KUBE_RESOURCES.services && name === cluster.dnsService) cluster.dnsService = undefined;
    },
    deleteAll: async (resource, namespace) => {
      if (resource === KUBE_RESOURCES.pods && namespace === DNS_OPERATOR) cluster.dnsService ??= 'dns-default';
    },
    podLog: async ({ name }) => (name === MCS_POD ? machineConfigServerLog(cluster, world) : ''),
  };
}

/** The API refuses requests that no rule permits. */
function limitedTo(rules: readonly ControllerRule[], api: ClusterApi): ClusterApi {
  const check = async (verb: string, { group, plural }: KubeResource, subresource = ''): Promise<void> => {
    const name = subresource ? `${plural}/${subresource}` : plural;
    const isPermitted = rules.some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) && (resources.includes(name) || resources.includes('*')) && verbs.includes(verb),
    );
    if (!isPermitted)
      throw new ClusterApiError(FORBIDDEN, `The role of the controller does not permit ${verb} ${name}.`);
  };
  return {
    get: (ref, signal) => check('get', ref.resource).then(() => api.get(ref, signal)),
    list: (resource, query, signal) => check('list', resource).then(() => api.list(resource, query, signal)),
    create: (resource, object, signal) => check('create', resource).then(() => api.create(resource, object, signal)),
    patch: (ref, change, signal) => check('patch', ref.resource).then(() => api.patch(ref, change, signal)),
    replace: (ref, object, subresource, signal) =>
      check('update', ref.resource, subresource).then(() => api.replace(ref, object, subresource, signal)),
    delete: (ref, signal) => check('delete', ref.resource).then(() => api.delete(ref, signal)),
    deleteAll: (resource, namespace, signal) =>
      check('deletecollection', resource).then(() => api.deleteAll(resource, namespace, signal)),
    podLog: (ref, query, signal) => check('get', KUBE_RESOURCES.pods, 'log').then(() => api.podLog(ref, query, signal)),
  };
}

const labelsOf = (isControlPlane: boolean): { readonly [name: string]: string } =>
  isControlPlane ? { [CONTROL_PLANE_LABEL]: '' } : {};

interface ControllerPlay {
  readonly config: ControllerConfig;
  readonly cluster: SimulatedCluster;
  readonly world: SimulatedWorld;
  readonly timer: SimulatedTimer;
  readonly observer: SimulationObserver;
}

/** Runs the controller in a simulated cluster until the installation has ended or `signal` is aborted. */
export async function playController(play: ControllerPlay, signal: AbortSignal): Promise<void> {
  const { cluster, config, timer, world } = play;
  const api = createServiceApi(config, CONTROLLER_RETRIES, timer.polls);
  try {
    await timer.work(DURATIONS_MS.controllerStart, signal);
    await runController(
      {
        settings: config,
        api,
        cluster: limitedTo(cluster.controllerRules, createSimulatedClusterApi(cluster, world, timer)),
        host: simulatedControllerHost(cluster),
        timer: timer.polls,
        observe: (entry) => show(entry, play),
      },
      signal,
    );
    if (signal.aborted) return;
    cluster.isFinished = true;
    world.changed();
  } finally {
    api.close();
  }
}

function show(entry: ControllerLogEntry, { config, observer, world }: ControllerPlay): void {
  const say = (text: string): void => observer.onController?.(config.clusterId, text);
  switch (entry.type) {
    case 'ready':
      return say('controller ready');
    case 'finalizing':
      return say(entry.stage);
    case 'host-stage': {
      const { hostname, path } = world.host(entry.hostId);
      return observer.onStage?.({ hostId: entry.hostId, hostname }, entry.stage, percentOf(path, entry.stage));
    }
    case 'ended':
      return say(`cluster is ${entry.status}`);
    case 'note':
      return say(entry.text);
    default:
      return entry satisfies never;
  }
}

/** `oc` succeeds, each node was rebooted once, and the log contains the nodes. */
const simulatedControllerHost = (cluster: SimulatedCluster): ControllerHost => ({
  folder: '/tmp',
  oc: async (args) => ({
    exitCode: 0,
    output: args.slice(-2).join(' ') === 'last reboot' ? 'reboot   system boot  5.14.0-simulated still running\n' : '',
  }),
  writeTemporary: async (name) => `/tmp/${name}`,
  readFile: async (path) => {
    if (path !== '/tmp/controller_logs.log') return undefined;
    return Buffer.from([...cluster.nodes].map(([id, node]) => `${id} ready=${node.isReady}\n`).join(''));
  },
  archive: async () => Buffer.alloc(0),
});
