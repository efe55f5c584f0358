import { parseIp } from '@muster/addresses';
import { parseHostKey } from '@muster/contracts';
import { fromDataUrl } from '@muster/ignition-config';
import { parseJson } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import {
  type Digest,
  documentReader,
  fitting,
  list,
  record,
  type Report,
  type StepOutput,
  text,
  toBody,
  toCanonicalJson,
  toStoredBody,
} from '../report';

/** The settings of an installed cluster from its worker Ignition config, without secrets. */
export interface WorkerIgnition {
  /** none, tpm2, tang, other. Empty when it cannot be read. */
  readonly diskEncryption: string;
  /** managed, user-managed. Empty when it cannot be read. */
  readonly networking: string;
  /** JSON text of the list of `{url, thumbprint}` when disks are encrypted with Tang. */
  readonly tangServers?: string;
  /** Operating system image of its machine config. */
  readonly osImageUrl?: string;
}

/** Limits far above real configurations. */
const TANG_SERVERS_MAX = 32;
/** One text of an event has at most 16,384 characters. */
const TANG_SERVERS_BYTES_MAX = 16 * 1024 - 2;
const TEXT_MAX_CHARACTERS = 2_048;

const UNREADABLE: WorkerIgnition = { diskEncryption: '', networking: '' };
/** Static pods of the load balancer and name service that are part of the cluster. */
const MANAGED_FILES = ['/etc/kubernetes/manifests/coredns.yaml', '/etc/kubernetes/manifests/keepalived.yaml'];
const KUBECONFIG = '/etc/kubernetes/kubeconfig';
/** The machine config of which the Ignition config was made. */
const MACHINE_CONFIG = '/etc/ignition-machine-config-encapsulated.json';

type Document = { readonly [member: string]: unknown };
const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown =>
  isDocument(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function readWorkerIgnition(text: string): WorkerIgnition {
  const ignition = parseJson(text);
  if (ignition === undefined) return UNREADABLE;
  const storage = member(ignition, 'storage');
  const files = listOf(member(storage, 'files'));
  const isManaged = files.some(
    (file) =>
      MANAGED_FILES.includes(String(member(file, 'path'))) ||
      (member(file, 'path') === KUBECONFIG && hasServerAddress(member(member(file, 'contents'), 'source'))),
  );
  const luks = listOf(member(storage, 'luks'))[0];
  const diskEncryption = encryptionOf(luks);
  const osImageUrl = osImageUrlOf(files.find((file) => member(file, 'path') === MACHINE_CONFIG));
  return {
    diskEncryption,
    networking: isManaged ? 'managed' : 'user-managed',
    ...(diskEncryption === 'tang' ? { tangServers: tangServersOf(luks) } : {}),
    ...(osImageUrl ? { osImageUrl } : {}),
  };
}

function osImageUrlOf(file: unknown): string | undefined {
  const source = member(member(file, 'contents'), 'source');
  const config = parseJson((typeof source === 'string' ? fromDataUrl(source) : undefined) ?? '');
  const url = member(member(config, 'spec'), 'osImageURL');
  return isShortText(url) ? url : undefined;
}

/** Whether a kubeconfig has the address of its server instead of a name. Such a cluster needs no DNS record for it. */
function hasServerAddress(source: unknown): boolean {
  const text = (typeof source === 'string' ? fromDataUrl(source) : undefined) ?? '';
  const server = /^ *server: *"?(https?:\/\/[^\s"]+)/m.exec(text)?.[1] ?? '';
  return URL.canParse(server) && parseIp(new URL(server).hostname.replace(/^\[|\]$/g, '')) !== undefined;
}

function encryptionOf(luks: unknown): string {
  const clevis = member(luks, 'clevis');
  if (clevis === undefined || clevis === null) return 'none';
  if (member(clevis, 'tpm2') === true) return 'tpm2';
  return listOf(member(clevis, 'tang')).length > 0 ? 'tang' : 'other';
}

function tangServersOf(luks: unknown): string {
  const servers = listOf(member(member(luks, 'clevis'), 'tang')).flatMap((server) => {
    const [url, thumbprint] = [member(server, 'url'), member(server, 'thumbprint')];
    return isShortText(url) && isShortText(thumbprint) ? [{ url, thumbprint }] : [];
  });
  return JSON.stringify(fitting(servers.slice(0, TANG_SERVERS_MAX), TANG_SERVERS_BYTES_MAX));
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TEXT_MAX_CHARACTERS;

const MAX_ENDPOINT_REPORT_BYTES = 8 * 1024 * 1024;
const MAX_TANG_SERVERS = 64;
const MAX_ERROR_CHARACTERS = 4_096;

const TANG_REPORT = record({
  is_success: Type.Boolean(),
  tang_server_response: list(
    record({ tang_url: text, payload: text, signatures: list(record({ protected: text, signature: text })) }),
    MAX_TANG_SERVERS,
  ),
});

/** A failed check is also a report, with its error text. */
export const tangReader = documentReader({
  stepType: 'tang-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  name: 'Tang report',
  schema: TANG_REPORT,
  ofFailure: (step, digest) =>
    tangReport({ is_success: false, error: step.error.slice(0, MAX_ERROR_CHARACTERS) }, step, digest),
  toReport: tangReport,
});

type TangDocument = Static<typeof TANG_REPORT> & { readonly error?: string };

function tangReport(document: TangDocument, { generation }: StepOutput, digest: Digest): Report {
  const body = toBody(document, digest);
  return {
    body,
    event: {
      type: 'TangConnectivityReported',
      data: {
        body: toStoredBody(body),
        generation,
        isSuccess: document.is_success === true,
        fingerprint: digest(toCanonicalJson(withoutVaryingValues(document))),
      },
    },
  };
}

/** Errors of agents name the port from which they have connected, which differs each time. */
const withoutPorts = (error: string): string => error.replace(/:\d+->/g, '->');

/** Without values that differ each time: a server signs its keys again for each answer. */
const withoutVaryingValues = ({ tang_server_response = [], error = '', ...report }: TangDocument): object => ({
  ...report,
  error: withoutPorts(error),
  tang_server_response: tang_server_response.map(({ signatures = [], ...advertised }) => ({
    ...advertised,
    signatures: signatures.map((one) => one.protected),
  })),
});

/**
 * The Ignition config of an installed cluster contains credentials: it is sealed, and the body contains only its
 * digest.
 */
export const apiVipReader = documentReader({
  stepType: 'api-vip-connectivity-check',
  maxBytes: MAX_ENDPOINT_REPORT_BYTES,
  name: 'API connectivity report',
  schema: record({ is_success: Type.Boolean(), url: text, download_error: text, ignition: text }),
  toReport: ({ ignition, download_error, ...given }, { hostKey, generation }, digest) => {
    // The body is compared with that of the last report.
    const open = { ...given, ...(download_error !== undefined && { download_error: withoutPorts(download_error) }) };
    const body = toBody(ignition ? { ...open, ignition_digest: digest(ignition) } : open, digest);
    return {
      body,
      secret: ignition ? { name: `worker-ignition-${parseHostKey(hostKey).hostId}`, plaintext: ignition } : undefined,
      event: {
        type: 'ApiVipConnectivityReported',
        data: {
          isSuccess: open.is_success === true,
          body: toStoredBody(body),
          generation,
          ...readWorkerIgnition(ignition ?? ''),
        },
      },
    };
  },
});
