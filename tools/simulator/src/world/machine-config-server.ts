import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { type IgnitionConfig, mergeIgnition, toDataUrl, toIgnitionJson } from '@muster/ignition-config';
import { ENCAPSULATED_PATH, manifestsIn } from '../scratch-root/check-roots';

const ROLE_LABEL = 'machineconfiguration.openshift.io/role';
const BUILT_IN_POOLS = ['master', 'worker', 'arbiter'];

/** What the machines of each pool are to be, made of the MachineConfigs that lie on the bootstrap host. */
export function poolConfigs(root: string): ReadonlyMap<string, IgnitionConfig> {
  const manifests = manifestsIn(root).flatMap(({ documents }) => documents);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const machineConfigs = ofKind('MachineConfig').sort((a, b) =>
    (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1,
  );
  const custom = ofKind('MachineConfigPool').flatMap(({ metadata }) => metadata?.name ?? []);
  return new Map(
    [...BUILT_IN_POOLS, ...custom].map((pool) => {
      // Custom pools include the worker configuration.
      const roles = BUILT_IN_POOLS.includes(pool) ? [pool] : ['worker', pool];
      const own = machineConfigs.filter(({ metadata }) => roles.includes(metadata?.labels?.[ROLE_LABEL] ?? ''));
      const merged = own
        .flatMap(({ spec }) => (spec?.config ? [spec.config as IgnitionConfig] : []))
        .reduce<IgnitionConfig>((below, above) => mergeIgnition(below, above), { ignition: { version: '3.2.0' } });
      return [pool, mergeIgnition(merged, encapsulated(own))];
    }),
  );
}

/** The machine takes its MachineConfigs along, for what Ignition does not do. */
const encapsulated = (machineConfigs: readonly object[]): IgnitionConfig => ({
  ignition: { version: '3.2.0' },
  storage: {
    files: [
      {
        path: ENCAPSULATED_PATH,
        mode: 0o644,
        contents: { source: toDataUrl(JSON.stringify(machineConfigs)) },
      },
    ],
  },
});

/** Gives machines the configuration of their pool: over TLS, with the certificate that was made for it, and without to those that join later. */
export interface MachineConfigServer {
  readonly tlsPort: number;
  readonly plainPort: number;
  /** Whether it is what machines find on port 22623 or 22624 of this name or address. */
  answersAt(name: string): boolean;
  /** What was asked for, in order: `/config/worker`. */
  readonly asked: readonly string[];
  close(): void;
}

const TLS_FOLDER = '/opt/openshift/tls';
const IGNITION_TYPE = 'application/vnd.coreos.ignition+json';

/** `root`: where the bootstrap config was applied. Throws when its certificate cannot be used. */
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
  const names = new Set(subjectAltName.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')));
  const [tls, plain] = [createServer(certificate, answer), createPlainServer(answer)];
  const [tlsPort, plainPort] = [await listen(tls), await listen(plain)];
  return {
    tlsPort,
    plainPort,
    // Both names of the API lead to the same machines; only the inner one is in the certificate.
    answersAt: (name) => names.has(name) || names.has(name.replace(/^api\./, 'api-int.')),
    asked,
    close: () => {
      for (const server of [tls, plain]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Machines that boot, and agents that try whether one could. */
const asksForIgnition = ({ headers }: IncomingMessage): boolean =>
  headers['user-agent']?.startsWith('Ignition/') === true || headers.accept?.includes(IGNITION_TYPE) === true;

/** A simulation that is over does not wait for it. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return (server.address() as AddressInfo).port;
}
