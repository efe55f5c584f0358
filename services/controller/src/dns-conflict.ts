import { formatIp, parseCidr } from '@muster/addresses';
import { KUBE_RESOURCES } from '@muster/host-api';
import { errorMessage, listAt, textAt } from '@muster/schema';
import { parse } from 'yaml';
import { type Controller, INTERVALS_MS, note } from './controller';

const TRIES = 45;
const DNS_NUMBER = 10;
const OPERATOR_NAMESPACE = 'openshift-dns-operator';

/**
 * The name server of the cluster needs address number 10 of the service network. Deletes another service that uses it,
 * and restarts the operator of the name server.
 */
export async function resolveDnsConflict(controller: Controller, signal: AbortSignal): Promise<void> {
  const { cluster, timer } = controller;
  let isRestartDue = false;
  for (let tried = 1; tried <= TRIES && !signal.aborted; tried += 1) {
    try {
      const address = await dnsAddressOf(controller, signal);
      const services = await cluster.list(KUBE_RESOURCES.services, {}, signal);
      const owner = services.find((service) => textAt(service, 'spec', 'clusterIP') === address);
      const { name = '', namespace } = owner?.metadata ?? {};
      if (name === 'dns-default' && namespace === 'openshift-dns') return;
      if (owner) {
        await cluster.delete({ resource: KUBE_RESOURCES.services, name, namespace }, signal);
        isRestartDue = true;
      }
      // The ClusterRole of the controller permits the deletion of all pods, but not of single ones.
      if (isRestartDue) await cluster.deleteAll(KUBE_RESOURCES.pods, OPERATOR_NAMESPACE, signal);
      isRestartDue = false;
    } catch (error) {
      // The API of a new cluster is not always available.
      if (!signal.aborted) note(controller, `The address of the name server was not freed: ${errorMessage(error)}`);
    }
    await timer.sleep(INTERVALS_MS.dnsConflict, signal);
  }
}

async function dnsAddressOf({ cluster }: Controller, signal: AbortSignal): Promise<string> {
  const ref = { resource: KUBE_RESOURCES.configMaps, namespace: 'kube-system', name: 'cluster-config-v1' };
  const map = await cluster.get(ref, signal);
  const config: unknown = parse(textAt(map, 'data', 'install-config') ?? '');
  const network = parseCidr(String(listAt(config, 'networking', 'serviceNetwork')[0] ?? ''))?.network;
  if (!network) throw new Error('The cluster has no service network yet.');
  const { family, parts } = network;
  // Services have the canonical text of their address.
  return formatIp({ family, parts: [...parts.slice(0, -1), (parts.at(-1) ?? 0) + DNS_NUMBER] });
}
