import { isAtLeast } from '@muster/feature-support';
import type { ClusterApi, KubeObject, KubeResource } from '@muster/ports';
import { createGuard, listAt, parseJson, textAt } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { essentialInventory, type ServiceCluster, type ServiceHost } from './service-api';

const resource = (group: string, version: string, plural: string, isNamespaced = true): KubeResource => ({
  group,
  version,
  plural,
  isNamespaced,
});

/** The kinds of objects that the installer and the controller read and write. */
export const KUBE_RESOURCES = {
  bareMetalHosts: resource('metal3.io', 'v1alpha1', 'baremetalhosts'),
  certificateSigningRequests: resource('certificates.k8s.io', 'v1', 'certificatesigningrequests', false),
  clusterOperators: resource('config.openshift.io', 'v1', 'clusteroperators', false),
  clusterServiceVersions: resource('operators.coreos.com', 'v1alpha1', 'clusterserviceversions'),
  clusterVersions: resource('config.openshift.io', 'v1', 'clusterversions', false),
  configMaps: resource('', 'v1', 'configmaps'),
  events: resource('', 'v1', 'events'),
  installPlans: resource('operators.coreos.com', 'v1alpha1', 'installplans'),
  jobs: resource('batch', 'v1', 'jobs'),
  machineConfigPools: resource('machineconfiguration.openshift.io', 'v1', 'machineconfigpools', false),
  machineConfigs: resource('machineconfiguration.openshift.io', 'v1', 'machineconfigs', false),
  machines: resource('machine.openshift.io', 'v1beta1', 'machines'),
  nodes: resource('', 'v1', 'nodes', false),
  pods: resource('', 'v1', 'pods'),
  provisionings: resource('metal3.io', 'v1alpha1', 'provisionings', false),
  proxies: resource('config.openshift.io', 'v1', 'proxies', false),
  services: resource('', 'v1', 'services'),
  subscriptions: resource('operators.coreos.com', 'v1alpha1', 'subscriptions'),
} as const;

const CONDITION = Type.Object({
  type: Type.String(),
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});
export type KubeCondition = Readonly<Static<typeof CONDITION>>;

const isCondition = createGuard(CONDITION);
const isAddress = createGuard(Type.Object({ type: Type.String(), address: Type.String() }));
const isTaint = createGuard(Type.Object({ key: Type.Optional(Type.String()) }));

export interface KubeNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly internalAddresses: readonly string[];
  readonly taints: readonly { readonly key?: string }[];
}

export const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/master';
export const ARBITER_LABEL = 'node-role.kubernetes.io/arbiter';

/** Returns the conditions in the status of an object. */
export function conditionsOf(object: KubeObject): readonly KubeCondition[] {
  return listAt(object, 'status', 'conditions').filter(isCondition);
}

export const isConditionTrue = (object: KubeObject, type: string): boolean =>
  conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');

export function toKubeNode(object: KubeObject): KubeNode {
  const addresses = listAt(object, 'status', 'addresses').filter(isAddress);
  return {
    name: object.metadata.name,
    isReady: isConditionTrue(object, 'Ready'),
    labels: object.metadata.labels ?? {},
    annotations: object.metadata.annotations ?? {},
    internalAddresses: addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
    taints: listAt(object, 'spec', 'taints').filter(isTaint),
  };
}

/**
 * Returns whether the hosts of the cluster run the service themselves. It then ends when its host reboots.
 * @throws ClusterApiError
 */
export async function isSelfInstalled(cluster: Pick<ClusterApi, 'get'>, signal: AbortSignal): Promise<boolean> {
  const namespace = 'openshift-config';
  const ref = { resource: KUBE_RESOURCES.configMaps, namespace, name: 'openshift-install-manifests' };
  return textAt(await cluster.get(ref, signal), 'data', 'invoker') === 'agent-installer';
}

/** Release since which the cloud provider of vSphere initializes the nodes of a cluster that its own hosts install. */
const VSPHERE_INITIALIZES_SINCE = '4.15';
/** The values of a cluster whose user gave no access to vCenter. */
const VSPHERE_PLACEHOLDERS = {
  server: 'vcenterplaceholder',
  user: 'usernameplaceholder',
  password: 'passwordplaceholder',
};

/**
 * Returns whether the cluster has access to its vCenter. When its own hosts install it, its cloud provider then initializes the
 * nodes, but only those that have the taint.
 */
export function hasVsphereAccess({
  install_config_overrides: text,
  openshift_version: version,
}: ServiceCluster): boolean {
  const [vcenter] = listAt(parseJson(text ?? ''), 'platform', 'vsphere', 'vcenters');
  const isGiven = ([name, placeholder]: readonly [string, string]): boolean =>
    !['', placeholder].includes(textAt(vcenter, name) ?? '');
  return isAtLeast(version ?? '', VSPHERE_INITIALIZES_SINCE) && Object.entries(VSPHERE_PLACEHOLDERS).every(isGiven);
}

const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * Removes the taint that the cloud provider of some platforms removes only after the installation. A taint is addressed by
 * its position, which changes with the other taints of the node. Then the patch is refused, and no other taint is removed.
 * @throws ClusterApiError the first refusal, after all nodes
 */
export async function removeUninitializedTaints(
  cluster: Pick<ClusterApi, 'patch'>,
  nodes: readonly KubeNode[],
  signal: AbortSignal,
): Promise<void> {
  let refusal: unknown;
  for (const { name, taints } of nodes) {
    const index = taints.findIndex(({ key }) => key === UNINITIALIZED_TAINT);
    if (index < 0) continue;
    const path = `/spec/taints/${index}`;
    const change = [
      { op: 'test', path: `${path}/key`, value: UNINITIALIZED_TAINT },
      { op: 'remove', path },
    ];
    // A node may be deleted or changed meanwhile. The nodes after it must not wait.
    const ref = { resource: KUBE_RESOURCES.nodes, name };
    await cluster.patch(ref, change, signal).catch((error: unknown) => (refusal ??= error));
  }
  if (refusal !== undefined) throw refusal;
}

/** Returns the addresses of the host without prefix length, from its inventory. */
export function addressesOf(host: ServiceHost): readonly string[] {
  return (essentialInventory(host).interfaces ?? [])
    .flatMap(({ ipv4_addresses, ipv6_addresses }) => [...(ipv4_addresses ?? []), ...(ipv6_addresses ?? [])])
    .map((address) => address.replace(/\/.*/, ''));
}

/** Returns the name of the host's node: the requested name, or the name that the host reports. */
export function nodeNameOf(host: ServiceHost): string {
  return (host.requested_hostname || essentialInventory(host).hostname || '').toLowerCase();
}

/** Returns the node of a host: by name, otherwise by an internal address of the host. */
export function nodeOf(host: ServiceHost, nodes: readonly KubeNode[]): KubeNode | undefined {
  const name = nodeNameOf(host);
  const addresses = new Set(addressesOf(host));
  return (
    nodes.find((node) => name !== '' && node.name.toLowerCase() === name) ??
    nodes.find((node) => node.internalAddresses.some((address) => addresses.has(address)))
  );
}

/** The end of a line `… from <address>:<port> User-Agent:"Ignition/…"`. An IPv6 address may have a zone and brackets. */
const IGNITION_REQUEST = /(?<![\d.:a-f])([\d.:a-f]+?)(?:%[\w.-]+)?\]?:\d+"? User-Agent:"Ignition/gi;

/** Returns the addresses whose requests for an Ignition config the log of the machine-config server contains. */
export const ignitionClients = (machineConfigServerLog: string): ReadonlySet<string> =>
  new Set([...machineConfigServerLog.matchAll(IGNITION_REQUEST)].map(([, address = '']) => address.toLowerCase()));

/** Returns whether the host requested its Ignition config. `clients`: the result of `ignitionClients`. */
export const hasFetchedIgnition = (host: ServiceHost, clients: ReadonlySet<string>): boolean =>
  addressesOf(host).some((address) => clients.has(address.toLowerCase()));
