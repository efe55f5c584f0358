import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:net';
import { join } from 'node:path';
import {
  type IgnitionConfig,
  mergeIgnition,
  toDataUrl,
  toIgnitionJson,
  isIgnitionConfig,
} from '@muster/ignition-config';
import { portOf } from '@muster/nest-kit';
import { listAt, textAt } from '@muster/schema';
import { ENCAPSULATED_PATH, type Manifest, manifestsIn } from '../scratch-root/check-roots';
import type { ServerPorts } from './server-names';

const OS_IMAGE = 'quay.io/simulated/coreos@sha256:0';
const ROLE_LABEL = 'machineconfiguration.openshift.io/role';
const BUILT_IN_POOLS = ['master', 'worker', 'arbiter'];

/** Returns the configs of all pools, from the MachineConfigs on the bootstrap host. */
export function poolConfigs(root: string): ReadonlyMap<string, IgnitionConfig> {
  const manifests = manifestsIn(root).flatMap(({ documents }) => documents);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const machineConfigs = ofKind('MachineConfig').sort((a, b) =>
    (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1,
  );
  const platform = filesOfPlatform(ofKind('Infrastructure')[0]?.status);
  const custom = ofKind('MachineConfigPool').flatMap(({ metadata }) => metadata?.name ?? []);
  return new Map(
    [...BUILT_IN_POOLS, ...custom].map((pool) => {
      // Custom pools include the worker configuration.
      const roles = BUILT_IN_POOLS.includes(pool) ? [pool] : ['worker', pool];
      const own = machineConfigs.filter(({ metadata }) => roles.includes(metadata?.labels?.[ROLE_LABEL] ?? ''));
      const merged = own
        .flatMap(({ spec }) => (isIgnitionConfig(spec?.config) ? [spec.config] : []))
        .reduce<IgnitionConfig>((below, above) => mergeIgnition(below, above), { ignition: { version: '3.2.0' } });
      return [pool, [platform, encapsulated(pool, own)].reduce(mergeIgnition, merged)];
    }),
  );
}

/** Platforms on which the nodes serve the names and VIPs of the cluster themselves. */
const ON_PREMISES = ['BareMetal', 'VSphere', 'Nutanix', 'OpenStack'];

/** The static pods of the name service and of the load balancer. A day-2 host infers from them that it needs no DNS records. */
function filesOfPlatform(status: unknown): IgnitionConfig {
  const platform = textAt(status, 'platform') ?? '';
  const loadBalancer = textAt(status, 'platformStatus', platform.toLowerCase(), 'loadBalancer', 'type');
  const pods = ['coredns', ...(loadBalancer === 'UserManaged' ? [] : ['keepalived'])];
  const files = pods.map((pod) => ({
    path: `/etc/kubernetes/manifests/${pod}.yaml`,
    mode: 0o644,
    contents: { source: toDataUrl(`kind: Pod\napiVersion: v1\nmetadata:\n  name: ${pod}\n`) },
  }));
  return { ignition: { version: '3.2.0' }, ...(ON_PREMISES.includes(platform) && { storage: { files } }) };
}

/** The config contains the MachineConfig of its pool, for settings that Ignition does not apply. */
const encapsulated = (pool: string, machineConfigs: readonly Manifest[]): IgnitionConfig => ({
  ignition: { version: '3.2.0' },
  storage: {
    files: [
      {
        path: ENCAPSULATED_PATH,
        mode: 0o644,
        contents: {
          source: toDataUrl(
            JSON.stringify({
              kind: 'MachineConfig',
              metadata: { name: `rendered-${pool}-simulated` },
              spec: {
                osImageURL: OS_IMAGE,
                kernelArguments: machineConfigs.flatMap(({ spec }) => listAt(spec, 'kernelArguments')),
              },
            }),
          ),
        },
      },
    ],
  },
});

/**
 * Serves machines the config of their pool: with TLS during the installation, and without TLS for hosts that join
 * later.
 */
export interface MachineConfigServer extends ServerPorts {
  /** Names and addresses that lead to this server on port 22623 or 22624. */
  readonly names: readonly string[];
  /** Paths of the requests in order, such as `/config/worker`. */
  readonly asked: readonly string[];
  close(): void;
}

const TLS_FOLDER = '/opt/openshift/tls';
const IGNITION_TYPE = 'application/vnd.coreos.ignition+json';

/**
 * `root`: folder to which the bootstrap config was applied.
 * @throws when its certificate cannot be used
 */
export async function startMachineConfigServer(root: string): Promise<MachineConfigServer> {
  const pools = poolConfigs(root);
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const pool = /^\/config\/([^/]+)$/.exec(path)?.[1] ?? '';
    const config = asksForIgnition(request) ? pools.get(pool) : undefined;
    response.writeHead(config ? 200 : 404, { 'content-type': `${IGNITION_TYPE};version=3.2.0` });
    response.end(config ? toIgnitionJson(config) : '');
  };
  const certificate = {
    cert: readFileSync(join(root, TLS_FOLDER, 'machine-config-server.crt')),
    key: readFileSync(join(root, TLS_FOLDER, 'machine-config-server.key')),
  };
  const { subjectAltName = '' } = new X509Certificate(certificate.cert);
  const certified = subjectAltName.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const [tls, plain] = [createServer(certificate, answer), createPlainServer(answer)];
  const [tlsPort, plainPort] = [await listen(tls), await listen(plain)];
  return {
    tlsPort,
    plainPort,
    // Both names of the API lead to the same server; the certificate contains only the internal one.
    names: [...new Set(certified.flatMap((name) => [name, name.replace(/^api-int\./, 'api.')]))],
    asked,
    close: () => {
      for (const server of [tls, plain]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Whether the request is from Ignition or from an agent that checks whether a host can join. */
const asksForIgnition = ({ headers }: IncomingMessage): boolean =>
  headers['user-agent']?.startsWith('Ignition/') === true || headers.accept?.includes(IGNITION_TYPE) === true;

/** The server does not keep the process running. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return portOf(server);
}
