import { createJsonParser, holds } from '@muster/schema';
import { Type } from '@sinclair/typebox';
/** Values and patterns of the v2 API that several requests use. */
export const CPU_ARCHITECTURES = ['x86_64', 'aarch64', 'arm64', 'ppc64le', 's390x'] as const;
export const CLUSTER_CPU_ARCHITECTURES = [...CPU_ARCHITECTURES, 'multi'] as const;
export const HIGH_AVAILABILITY_MODES = ['Full', 'None'] as const;
export const NETWORK_TYPES = ['OpenShiftSDN', 'OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None'] as const;
export const PLATFORM_TYPES = ['baremetal', 'nutanix', 'vsphere', 'none', 'external'] as const;
export const CLOUD_CONTROLLER_MANAGERS = ['', 'External'] as const;
export const ENCRYPTION_MODES = ['tpmv2', 'tang'] as const;
export const LOAD_BALANCER_TYPES = ['cluster-managed', 'user-managed'] as const;
export const DISCOVERY_IMAGE_TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export const KERNEL_ARGUMENT_OPERATIONS = ['append', 'replace', 'delete'] as const;
export const HOST_ROLES = ['auto-assign', 'master', 'arbiter', 'worker'] as const;
export const CERTIFICATE_VERIFICATIONS = ['Enabled', 'Disabled'] as const;
export const DISK_ROLES = ['none', 'install'] as const;
export const LOGS_STATES = ['requested', 'collecting', 'completed', 'timeout', ''] as const;
export const UPLOADED_LOGS_TYPES = ['host', 'controller'] as const;
export const DOWNLOADED_LOGS_TYPES = ['host', 'controller', 'all'] as const;
export const OPERATOR_STATUSES = ['failed', 'progressing', 'available'] as const;
export const VIP_VERIFICATIONS = ['unverified', 'failed', 'succeeded'] as const;
export const SORT_ORDERS = ['ascending', 'descending'] as const;

/** Node roles to which a setting per role applies, in the only order that the v2 API accepts. */
export const ROLE_SELECTIONS = [
  'none',
  'masters',
  'arbiters',
  'workers',
  'masters,arbiters',
  'masters,workers',
  'arbiters,workers',
  'masters,arbiters,workers',
  'all',
] as const;

export const STEP_TYPES = [
  'connectivity-check',
  'execute',
  'inventory',
  'install',
  'free-network-addresses',
  'dhcp-lease-allocate',
  'api-vip-connectivity-check',
  'tang-connectivity-check',
  'ntp-synchronizer',
  'installation-disk-speed-check',
  'container-image-availability',
  'domain-resolution',
  'stop-installation',
  'logs-gather',
  'next-step-runner',
  'upgrade-agent',
  'download-boot-artifacts',
  'reboot-for-reclaim',
  'verify-vips',
] as const;

export const CLUSTER_FILES = [
  'bootstrap.ign',
  'master.ign',
  'metadata.json',
  'worker.ign',
  'install-config.yaml',
  'custom_manifests.json',
  'custom_manifests.yaml',
  'arbiter.ign',
] as const;
export const PRESIGNED_CLUSTER_FILES = [
  'bootstrap.ign',
  'master.ign',
  'metadata.json',
  'worker.ign',
  'install-config.yaml',
  'logs',
  'manifests',
] as const;
export const CREDENTIAL_FILES = ['kubeadmin-password', 'kubeconfig', 'kubeconfig-noingress'] as const;
export const INFRA_ENV_FILES = ['discovery.ign', 'ipxe-script', 'static-network-config'] as const;
export const PRESIGNED_INFRA_ENV_FILES = ['discovery.ign', 'ipxe-script'] as const;
export const IPXE_SCRIPT_TYPES = ['discovery-image-always', 'boot-order-control'] as const;

// Accepts the same texts as the patterns of the v2 API, without exponential matching time for any input.
export const CIDR_PATTERN =
  /^(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}\/(?:[0-9]|[1-2][0-9]|3[0-2])|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*\/(?:[0-9]|[1-9][0-9]|1[0-1][0-9]|12[0-8]))$/;
/** An empty address is allowed and removes the address. */
export const ADDRESS_PATTERN = /^(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*)?$/;
export const MAC_PATTERN = /^([0-9A-Fa-f]{2}[:]){5}([0-9A-Fa-f]{2})$/;
export const KERNEL_ARGUMENT_PATTERN = /^(?:[^ \t\n\r"]|"[^"]*")+$/;

export const CLUSTER_NAME_MAX_CHARACTERS = 54;
export const TRUST_BUNDLE_MAX_CHARACTERS = 65_535;
/** Maximum length of pull secrets, override documents and reports, in characters. */
export const DOCUMENT_MAX_CHARACTERS = 1_048_576;
export const EVENT_MESSAGE_MAX_CHARACTERS = 4_096;
/** Maximum length of the reason of an override, in characters. */
export const REASON_MAX_CHARACTERS = 1_024;

/** Networks of a cluster that sets none. */
export const DEFAULT_CLUSTER_NETWORK_CIDR = '10.128.0.0/14';
export const DEFAULT_HOST_PREFIX_IPV4 = 23;
export const DEFAULT_SERVICE_NETWORK_CIDR = '172.30.0.0/16';

/** A day, or an RFC 3339 time. */
export const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/i;
export const UUID_PATTERN = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

const isUserAndPassword = (auth: unknown): boolean =>
  typeof auth === 'string' &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(auth) &&
  Buffer.from(auth, 'base64').toString('utf8').includes(':');

/** Entry of a pull secret. Members other than `auth` are ignored. */
const REGISTRY_ENTRY = Type.Object({ auth: holds(isUserAndPassword, 'base64 of user:password') });
const parsePullSecret = createJsonParser(
  Type.Object({
    auths: Type.Record(Type.String(), REGISTRY_ENTRY, {
      minProperties: 1,
      expected: 'an object such as {"quay.io": {"auth": "<base64 of user:password>"}}',
    }),
  }),
  { name: 'pull_secret', hidesValues: true },
);

const PATH_MAX_CHARACTERS = 100;

/** Returns the reason why a pull secret cannot be used, without any of its content. Undefined when it can be used. */
export function pullSecretError(text: string): string | undefined {
  const parsed = parsePullSecret(text);
  if (parsed.kind === 'valid') return undefined;
  const [{ path, reason }] = parsed.violations;
  // The name of a registry is not secret. The limit prevents that a text that was pasted as name is repeated in the
  // message.
  return `${path.slice(0, PATH_MAX_CHARACTERS)} ${reason}. Paste the whole document as it was downloaded`;
}
