import { HttpRefused, createHttpClient, realTimer } from '@muster/host-api';
import { fromDataUrl, toDataUrl } from '@muster/ignition-config';
import { createJsonReader, errorMessage, listAt, memberAt, parseJson, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import type { ApiVipRequest, ApiVipReport, TangReport, TangServer } from './step-work';

const IGNITION_TYPE = 'application/vnd.coreos.ignition+json; version=3.2.0';
/** Files of a worker's Ignition config that show how the network of the cluster is managed. */
const KEPT_FILES = [
  '/etc/kubernetes/manifests/coredns.yaml',
  '/etc/kubernetes/manifests/keepalived.yaml',
  '/etc/kubernetes/kubeconfig',
];
/** The MachineConfig of the pool. A host that runs from its disk is installed with its operating system image. */
const MACHINE_CONFIG = '/etc/ignition-machine-config-encapsulated.json';

const SIGNATURE = { protected: Type.String(), signature: Type.String() };
/** A Tang server writes a single signature beside the payload. */
const readAdvertisement = createJsonReader(
  Type.Union([
    Type.Object({ payload: Type.String(), signatures: Type.Array(Type.Object(SIGNATURE)) }),
    Type.Object({ payload: Type.String(), ...SIGNATURE }),
  ]),
  { name: 'the advertisement' },
);

/** Checks whether this machine can download the config with which it would join an existing cluster. */
export async function fetchApiVipIgnition(order: ApiVipRequest, signal: AbortSignal): Promise<ApiVipReport> {
  const { url } = order;
  try {
    const headers: Record<string, string> = { Accept: IGNITION_TYPE };
    if (order.token) headers['Authorization'] = `Bearer ${order.token}`;
    for (const { key, value } of order.requestHeaders) headers[key] = value;
    const text = await fetchText(url, headers, order.caCertificatePem, signal);
    return { url, is_success: true, ignition: withoutSecrets(text), download_error: '' };
  } catch (error) {
    return { url, is_success: false, ignition: '', download_error: reasonOf(error) };
  }
}

/**
 * Keeps only disk encryption, network files and the operating system image. The other parts may contain secrets and are
 * not sent.
 */
export function withoutSecrets(text: string): string {
  const config: unknown = JSON.parse(text);
  if (!textAt(config, 'ignition', 'version')) throw new Error('The answer is JSON, but not an ignition config.');
  const files = listAt(config, 'storage', 'files').flatMap((file) => {
    const path = textAt(file, 'path') ?? '';
    return path === MACHINE_CONFIG ? imageOnly(file) : KEPT_FILES.includes(path) ? [file] : [];
  });
  const storage = { luks: memberAt(config, 'storage', 'luks'), files };
  return JSON.stringify({ ignition: memberAt(config, 'ignition'), storage });
}

function imageOnly(file: unknown): readonly object[] {
  const machineConfig = parseJson(fromDataUrl(textAt(file, 'contents', 'source') ?? '') ?? '');
  const osImageURL = textAt(machineConfig, 'spec', 'osImageURL');
  if (!osImageURL) return [];
  return [{ path: MACHINE_CONFIG, contents: { source: toDataUrl(JSON.stringify({ spec: { osImageURL } })) } }];
}

/** Returns the advertised keys of every Tang server. It fails when one does not answer. */
export async function fetchTangAdvertisements(
  { servers }: { readonly servers: readonly TangServer[] },
  signal: AbortSignal,
): Promise<TangReport> {
  const answers: TangReport['tang_server_response'][number][] = [];
  for (const { url, thumbprint } of servers) {
    try {
      const text = await fetchText(`${url.replace(/\/+$/, '')}/adv/${thumbprint}`, {}, '', signal);
      const { payload, ...signed } = readAdvertisement(text);
      const signatures = 'signatures' in signed ? signed.signatures : [signed];
      answers.push({ tang_url: url, payload, signatures });
    } catch (error) {
      // The page of a server may differ each time, and each other report is stored.
      const cause = error instanceof HttpRefused ? `HTTP ${error.status}` : errorMessage(error);
      const reason = `The Tang server ${url} did not return its advertisement: ${cause}`;
      return { is_success: false, tang_server_response: answers, reason };
    }
  }
  return { is_success: true, tang_server_response: answers };
}

async function fetchText(
  address: string,
  headers: { readonly [name: string]: string },
  caPem: string,
  signal: AbortSignal,
): Promise<string> {
  const { origin, pathname, search } = new URL(address);
  const client = createHttpClient({ baseUrl: origin, caPem, timer: realTimer });
  try {
    return (await client.call({ method: 'GET', path: pathname + search, headers }, signal)).body.toString('utf8');
  } finally {
    client.close();
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof HttpRefused ? `HTTP ${error.status}: ${error.reason}` : errorMessage(error);
