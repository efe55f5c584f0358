import { KUBE_RESOURCES } from '@muster/host-api';
import type { KubeObject } from '@muster/ports';
import { isObject, objectAt, parseJson, textAt } from '@muster/schema';
import { type Controller, INTERVALS_MS, repeat } from './controller';

const NAMESPACE = 'openshift-machine-api';
const STATUS_ANNOTATION = 'baremetalhost.metal3.io/status';
const PAUSED_ANNOTATION = 'baremetalhost.metal3.io/paused';
const ROLE_LABEL = 'machine.openshift.io/cluster-api-machine-role';

/** Registers the installed hosts with the bare-metal operator of the cluster. */
export async function updateBareMetalHosts(controller: Controller, signal: AbortSignal): Promise<void> {
  const { cluster } = controller;
  const list = (resource: (typeof KUBE_RESOURCES)[keyof typeof KUBE_RESOURCES]) =>
    cluster.list(resource, { namespace: NAMESPACE }, signal);
  let known = 0;
  await repeat(
    controller,
    'Updating the bare-metal hosts',
    INTERVALS_MS.nodes,
    async () => {
      const [hosts, machines] = [await list(KUBE_RESOURCES.bareMetalHosts), await list(KUBE_RESOURCES.machines)];
      const provisioning = await cluster.get(
        { resource: KUBE_RESOURCES.provisionings, name: 'provisioning-configuration' },
        signal,
      );
      const free = unallocated(machines, hosts);
      let failure: unknown;
      const update = async (host: KubeObject): Promise<void> => {
        const ref = { resource: KUBE_RESOURCES.bareMetalHosts, name: host.metadata.name, namespace: NAMESPACE };
        const change = provisioning ? managedChange(host, free) : unmanagedChange(host, free);
        if (!change) return;
        if (change.status) await cluster.replace(ref, { ...host, status: change.status }, 'status', signal);
        await cluster.patch(ref, change.patch, signal);
        if (!change.consumerRef) throw withoutMachine(host);
      };
      // A host without a machine must not delay the hosts after it.
      for (const host of hosts) await update(host).catch((error: unknown) => (failure ??= error));
      if (failure !== undefined) throw failure;
      // The hosts are created after the kind, one after the other. Those after the first ones must not stay paused.
      const areAllKnown = hosts.length > 0 && hosts.length === known;
      known = hosts.length;
      return areAllKnown;
    },
    signal,
  );
}

function unallocated(machines: readonly KubeObject[], hosts: readonly KubeObject[]): KubeObject[] {
  const taken = new Set(hosts.map((host) => textAt(host, 'spec', 'consumerRef', 'name')));
  return machines.filter(({ metadata }) => metadata.labels?.[ROLE_LABEL] === 'worker' && !taken.has(metadata.name));
}

interface Change {
  readonly patch: object;
  readonly status?: object;
  /** Undefined while the host has no machine. */
  readonly consumerRef: object | undefined;
}

const withoutMachine = ({ metadata }: KubeObject): Error =>
  new Error(`The bare-metal host ${metadata.name} has no machine yet.`);

function managedChange(host: KubeObject, free: KubeObject[]): Change | undefined {
  if (!['', 'unmanaged'].includes(textAt(host, 'status', 'provisioning', 'state') ?? '')) return undefined;
  const consumerRef = consumerOf(host, free);
  if (!consumerRef) throw withoutMachine(host);
  return {
    patch: {
      metadata: { annotations: { [PAUSED_ANNOTATION]: null } },
      spec: { externallyProvisioned: true, consumerRef },
    },
    consumerRef,
  };
}

/** The members that the resource requires in a status. The cluster refuses a status without one of them. */
const STATUS_REQUIRED = {
  errorCount: 0,
  errorMessage: '',
  hardwareProfile: '',
  operationHistory: {},
  operationalStatus: '',
  poweredOn: false,
  provisioning: { ID: '', state: '' },
};

function unmanagedChange(host: KubeObject, free: KubeObject[]): Change | undefined {
  const text = host.metadata.annotations?.[STATUS_ANNOTATION];
  if (text === undefined && textAt(host, 'spec', 'consumerRef', 'name')) return undefined;
  const status = text === undefined ? undefined : statusIn(text, host);
  const consumerRef = consumerOf(host, free);
  return {
    status,
    patch: { metadata: { annotations: { [STATUS_ANNOTATION]: null } }, ...(consumerRef && { spec: { consumerRef } }) },
    consumerRef,
  };
}

/** @throws Error when the annotation has no status. Its text is the only copy, so it must stay. */
function statusIn(annotation: string, { metadata }: KubeObject): object {
  const status = parseJson(annotation);
  if (isObject(status)) return { ...STATUS_REQUIRED, lastUpdated: new Date().toISOString(), ...status };
  throw new Error(`The annotation ${STATUS_ANNOTATION} of the bare-metal host ${metadata.name} is not a JSON object.`);
}

function consumerOf(host: KubeObject, free: KubeObject[]): object | undefined {
  const own = objectAt(host, 'spec', 'consumerRef');
  if (textAt(own, 'name')) return own;
  const machine = free.shift();
  return (
    machine && {
      apiVersion: 'machine.openshift.io/v1beta1',
      kind: 'Machine',
      name: machine.metadata.name,
      namespace: NAMESPACE,
    }
  );
}
