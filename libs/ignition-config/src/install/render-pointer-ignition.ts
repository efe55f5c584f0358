import { toDataUrl } from '../config/data-url';
import type { IgnitionConfig, IgnitionFile } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';

export const POINTER_SPEC_VERSION = '3.2.0';
/** Where the machine-config-server of a cluster listens with TLS. */
const MACHINE_CONFIG_PORT = 22_623;

export interface PointerInput {
  /** Of the cluster's internal API, such as api-int.demo.example.com. */
  readonly apiHost: string;
  /** Machine-config pool: master, worker, arbiter or a custom one. */
  readonly pool: string;
  /** PEM of the authority that signed the machine-config-server's certificate. */
  readonly rootCaPem: string;
  /** Of one host; a role's own pointer has neither. */
  readonly hostname?: string;
  /** An address of the network in which the kubelet has to choose its own. */
  readonly nodeIpHint?: string;
}

/** What is written to a disk: where the machine fetches the rest from, and what is true of this host alone. */
export function renderPointerIgnition(input: PointerInput): IgnitionConfig {
  const files = hostFiles(input);
  return {
    ignition: {
      version: POINTER_SPEC_VERSION,
      config: { merge: [{ source: `https://${input.apiHost}:${MACHINE_CONFIG_PORT}/config/${input.pool}` }] },
      security: { tls: { certificateAuthorities: [{ source: toDataUrl(input.rootCaPem) }] } },
    },
    ...(files.length > 0 && { storage: { files } }),
  };
}

function hostFiles({ hostname, nodeIpHint }: PointerInput): readonly IgnitionFile[] {
  return [
    ...(hostname ? [textFile('/etc/hostname', MODE_READABLE, hostname)] : []),
    ...(nodeIpHint
      ? [textFile('/etc/default/nodeip-configuration', MODE_READABLE, `KUBELET_NODEIP_HINT=${nodeIpHint}\n`)]
      : []),
  ];
}
