/** The settings of an installed cluster that its worker ignition shows, without secrets. */
export interface WorkerIgnition {
  /** none, tpm2, tang, other; empty when it cannot be read. */
  readonly diskEncryption: string;
  /** managed, user-managed; empty when it cannot be read. */
  readonly networking: string;
  /** JSON text of the list of `{url, thumbprint}` when disks are encrypted with Tang. */
  readonly tangServers?: string;
}

/** Limits far above real configurations. */
const TANG_SERVERS_MAX = 32;
const TANG_TEXT_MAX_CHARACTERS = 2_048;

const UNREADABLE: WorkerIgnition = { diskEncryption: '', networking: '' };
/** Static pods of the load balancer and name service that are part of the cluster. */
const MANAGED_FILES = ['/etc/kubernetes/manifests/coredns.yaml', '/etc/kubernetes/manifests/keepalived.yaml'];

type Document = { readonly [member: string]: unknown };
const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown =>
  isDocument(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function readWorkerIgnition(text: string): WorkerIgnition {
  let ignition: unknown;
  try {
    ignition = JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
  const storage = member(ignition, 'storage');
  const isManaged = list(member(storage, 'files')).some((file) => MANAGED_FILES.includes(String(member(file, 'path'))));
  const luks = list(member(storage, 'luks'))[0];
  const diskEncryption = encryptionOf(luks);
  return {
    diskEncryption,
    networking: isManaged ? 'managed' : 'user-managed',
    ...(diskEncryption === 'tang' ? { tangServers: tangServersOf(luks) } : {}),
  };
}

function encryptionOf(luks: unknown): string {
  const clevis = member(luks, 'clevis');
  if (clevis === undefined || clevis === null) return 'none';
  if (member(clevis, 'tpm2') === true) return 'tpm2';
  return list(member(clevis, 'tang')).length > 0 ? 'tang' : 'other';
}

function tangServersOf(luks: unknown): string {
  const servers = list(member(member(luks, 'clevis'), 'tang')).flatMap((server) => {
    const [url, thumbprint] = [member(server, 'url'), member(server, 'thumbprint')];
    return isShortText(url) && isShortText(thumbprint) ? [{ url, thumbprint }] : [];
  });
  return JSON.stringify(servers.slice(0, TANG_SERVERS_MAX));
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TANG_TEXT_MAX_CHARACTERS;
