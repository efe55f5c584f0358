import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { fromDataUrl, type IgnitionConfig, isIgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import { parseJson, textAt } from '@muster/schema';
import { manifestsIn } from '../scratch-root/check-roots';
import type { ServerPorts } from '../world/server-names';
import type { SimulatedCluster } from '../world/simulated-cluster';

/**
 * Parses an Ignition config.
 * @throws with the reason, because a machine could not boot with another document
 */
export function readIgnition(bytes: Buffer, what: string): IgnitionConfig {
  const config = parseJson(bytes.toString('utf8'));
  if (config === undefined) throw new Error(`The service gave no JSON for ${what}.`);
  if (!isIgnitionConfig(config)) throw new Error(`The service gave JSON, but no ignition config for ${what}.`);
  return config;
}

const TIMEOUT_MS = 10_000;

/**
 * Returns a config with everything to which it refers, as Ignition downloads it on first boot. Only the certificate
 * authorities in the config are trusted. The server of the simulated cluster has the name in the URL and its own ports.
 */
export async function withFetched(config: IgnitionConfig, server: ServerPorts): Promise<IgnitionConfig> {
  const authorities = config.ignition.security?.tls?.certificateAuthorities ?? [];
  const ca = authorities.flatMap(({ source }) => fromDataUrl(source) ?? []);
  let merged = config;
  for (const { source } of config.ignition.config?.merge ?? [])
    merged = mergeIgnition(
      merged,
      readIgnition(await fetchPoolConfig(new URL(source), ca, server), `the pool at ${new URL(source).pathname}`),
    );
  return merged;
}

export function fetchPoolConfig(url: URL, ca: readonly string[], { tlsPort, plainPort }: ServerPorts): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`Ignition could not fetch ${url.href}: ${reason}`));
    const isTls = url.protocol === 'https:';
    const asking = (isTls ? tlsRequest : plainRequest)(
      {
        host: '127.0.0.1',
        port: isTls ? tlsPort : plainPort,
        servername: url.hostname,
        path: url.pathname,
        ca: [...ca],
        agent: false,
        headers: { 'user-agent': 'Ignition/2.20.0', accept: 'application/vnd.coreos.ignition+json;version=3.4.0' },
        timeout: TIMEOUT_MS,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => fail(error.message));
        response.on('end', () => {
          if (response.statusCode !== 200) return fail(`the server answered ${response.statusCode}.`);
          resolve(Buffer.concat(chunks));
        });
      },
    );
    asking.on('timeout', () => asking.destroy(new Error('no answer in time.')));
    asking.on('error', (error) => fail(error.message));
    asking.end();
  });
}

const CONTROLLER = 'assisted-installer-controller';

/** Returns the settings of the controller and the install-config from the manifests on the bootstrap host. */
export function readBootstrapManifests(
  root: string,
  agentVersion: string,
): Pick<SimulatedCluster, 'controllerConfig' | 'installConfig'> {
  const documents = manifestsIn(root).flatMap(({ documents }) => documents);
  const dataOf = (kind: string, name: string) => {
    const found = documents.find((document) => document.kind === kind && document.metadata?.name === name);
    return (member: string): string => textAt(found, 'data', member) ?? '';
  };
  const config = dataOf('ConfigMap', `${CONTROLLER}-config`);
  const token = dataOf('Secret', `${CONTROLLER}-secret`)('pull-secret-token');
  return {
    installConfig: dataOf('ConfigMap', 'cluster-config-v1')('install-config'),
    controllerConfig: {
      clusterId: config('cluster-id'),
      serviceUrl: config('inventory-url'),
      token: Buffer.from(token, 'base64').toString('utf8'),
      isInsecure: config('skip-cert-verification') === 'true',
      controlPlaneCount: Number(config('control-plane-count')),
      checksClusterVersion: config('check-cluster-version') === 'true',
      mustGatherImage: config('must-gather-image'),
      notifiesReboots: config('notify-num-reboots') === 'true',
      openshiftVersion: '',
      agentVersion,
    },
  };
}
