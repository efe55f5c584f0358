import { existsSync, readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { fromDataUrl, type IgnitionConfig, isIgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import { createReader, listAt, objectAt, parseJson, textAt } from '@muster/schema';
import { readControllerSettings } from '@muster/service-controller';
import { Type } from '@sinclair/typebox';
import { type Manifest, manifestsIn } from '../scratch-root/check-roots';
import type { ServerPorts } from '../world/server-names';
import type { SimulatedCluster } from '../world/simulated-cluster';

/**
 * Parses an Ignition config.
 * @throws with the reason, because a machine could not boot with another document
 */
export function readIgnition(bytes: Buffer, what: string): IgnitionConfig {
  const config = parseJson(bytes.toString('utf8'));
  if (config === undefined) throw new Error(`The service returned no JSON for ${what}.`);
  if (!isIgnitionConfig(config)) throw new Error(`The service gave JSON, but no ignition config for ${what}.`);
  return config;
}

const TIMEOUT_MS = 10_000;
/** Errors of a connection to a server that is overloaded, or not there for a moment. */
const PASSING = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/** The server gave no answer. Ignition repeats such a download. */
export class NoAnswer extends Error {}

/**
 * Returns a config with everything to which it refers, as Ignition downloads it on first boot. Only the certificate
 * authorities in the config are trusted. The server of the simulated cluster has the name in the URL and its own ports.
 * @throws NoAnswer when the download may succeed later
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
    const fail = (reason: string, code = ''): void =>
      reject(new (PASSING.includes(code) ? NoAnswer : Error)(`Ignition could not fetch ${url.href}: ${reason}`));
    const failWith = ({ message, code }: NodeJS.ErrnoException): void => fail(message, code);
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
        response.on('error', failWith);
        response.on('end', () => {
          if (response.statusCode !== 200) return fail(`the server answered ${response.statusCode}.`);
          resolve(Buffer.concat(chunks));
        });
      },
    );
    asking.on('timeout', () => asking.destroy(Object.assign(new Error('no answer in time.'), { code: 'ETIMEDOUT' })));
    asking.on('error', failWith);
    asking.end();
  });
}

const CONTROLLER = 'assisted-installer-controller';
const TEXTS = Type.Array(Type.String());
const readRule = createReader(Type.Object({ apiGroups: TEXTS, resources: TEXTS, verbs: TEXTS }), {
  name: 'a rule of the ClusterRole',
});
type Find = (kind: string, name: string) => Manifest | undefined;

/**
 * Returns the settings and the role of the controller and the install-config from the manifests on the bootstrap host.
 * @throws when the kubelet could not start the controller, or when the controller refuses its settings
 */
export function readBootstrapManifests(
  root: string,
  agentVersion: string,
): Pick<SimulatedCluster, 'controllerConfig' | 'controllerRules' | 'installConfig'> {
  const documents = manifestsIn(root).flatMap(({ documents }) => documents);
  const find: Find = (kind, name) =>
    documents.find((document) => document.kind === kind && document.metadata?.name === name);
  const pod = objectAt(find('Job', CONTROLLER), 'spec', 'template', 'spec');
  return {
    installConfig: textAt(find('ConfigMap', 'cluster-config-v1'), 'data', 'install-config') ?? '',
    controllerRules: listAt(find('ClusterRole', CONTROLLER), 'rules').map(readRule),
    controllerConfig: {
      ...readControllerSettings(environmentOf(pod, find), (path) => readMounted(pod, path, find, root)),
      agentVersion,
    },
  };
}

const containerOf = (pod: object): unknown => listAt(pod, 'containers')[0];
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** Returns the environment that the kubelet gives to the container of the pod. */
function environmentOf(pod: object, find: Find): { readonly [name: string]: string } {
  const valueOf = (variable: unknown): string => {
    const { configMapKeyRef, secretKeyRef } = objectAt(variable, 'valueFrom');
    if (configMapKeyRef) return dataOf(find, 'ConfigMap', configMapKeyRef);
    if (secretKeyRef) return decode(dataOf(find, 'Secret', secretKeyRef));
    return textAt(variable, 'value') ?? '';
  };
  return Object.fromEntries(
    listAt(containerOf(pod), 'env').map((variable) => [textAt(variable, 'name') ?? '', valueOf(variable)]),
  );
}

/** Returns a file of the container as the kubelet mounts it; undefined when no volume contains it. */
function readMounted(pod: object, path: string, find: Find, root: string): string | undefined {
  const mount = listAt(containerOf(pod), 'volumeMounts').find((one) => isBelow(path, textAt(one, 'mountPath')));
  if (!mount) return undefined;
  const volume = listAt(pod, 'volumes').find((one) => textAt(one, 'name') === textAt(mount, 'name'));
  const rest = path.slice((textAt(mount, 'mountPath') ?? '').length);
  const name = textAt(volume, 'secret', 'secretName');
  if (name !== undefined) {
    const items = listAt(volume, 'secret', 'items').map((item) => [textAt(item, 'path'), textAt(item, 'key')]);
    const files =
      items.length > 0 ? items : Object.keys(objectAt(find('Secret', name), 'data')).map((key) => [key, key]);
    const [, key] = files.find(([file]) => `/${file}` === rest) ?? [];
    return key === undefined ? undefined : decode(dataOf(find, 'Secret', { name, key }));
  }
  const source = textAt(volume, 'hostPath', 'path');
  if (source === undefined) throw new Error(`The volume of ${path} does not exist.`);
  const place = join(root, source, rest);
  return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
}

const isBelow = (path: string, folder = ''): boolean => path === folder || path.startsWith(`${folder}/`);

function dataOf(find: Find, kind: string, reference: unknown): string {
  const [name = '', key = ''] = [textAt(reference, 'name'), textAt(reference, 'key')];
  const value = textAt(find(kind, name), 'data', key);
  if (value === undefined)
    throw new Error(`The kubelet does not start the controller: ${kind} "${name}" has no key "${key}".`);
  return value;
}
