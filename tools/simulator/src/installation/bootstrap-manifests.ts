import type { SimulatedCluster } from '../world/simulated-cluster';
import { manifestsIn } from '../scratch-root/check-bootstrap-root';

interface DataManifest {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly data?: { readonly [key: string]: string };
}

const CONTROLLER = 'assisted-installer-controller';

/** Returns what the manifests on the bootstrap host put into the cluster: the controller's settings, the install config. */
export function readBootstrapManifests(
  root: string,
  agentVersion: string,
): Pick<SimulatedCluster, 'controllerConfig' | 'installConfig'> {
  const documents = manifestsIn(root).flatMap(({ documents }) => documents) as readonly DataManifest[];
  const dataOf = (kind: string, name: string): { readonly [key: string]: string } =>
    documents.find((document) => document.kind === kind && document.metadata?.name === name)?.data ?? {};
  const config = dataOf('ConfigMap', `${CONTROLLER}-config`);
  const token = dataOf('Secret', `${CONTROLLER}-secret`)['pull-secret-token'] ?? '';
  return {
    installConfig: dataOf('ConfigMap', 'cluster-config-v1')['install-config'],
    controllerConfig: {
      clusterId: config['cluster-id'] ?? '',
      serviceUrl: config['inventory-url'] ?? '',
      token: Buffer.from(token, 'base64').toString('utf8'),
      isInsecure: config['skip-cert-verification'] === 'true',
      controlPlaneCount: Number(config['control-plane-count']),
      checksClusterVersion: config['check-cluster-version'] === 'true',
      mustGatherImage: config['must-gather-image'] ?? '',
      notifiesReboots: config['notify-num-reboots'] === 'true',
      openshiftVersion: '',
      agentVersion,
    },
  };
}
