import { toDataUrl } from '../config/data-url';
import type { IgnitionConfig } from '../config/ignition-config';

export const POINTER_SPEC_VERSION = '3.2.0';
/** Where the machine-config-server of a cluster listens with TLS. */
const MACHINE_CONFIG_PORT = 22_623;

export interface PointerInput {
  /** Host name of the cluster's internal API, such as api-int.demo.example.com. */
  readonly apiHost: string;
  /** Machine-config pool: master, worker, arbiter or a custom one. */
  readonly pool: string;
  /** PEM of the authority that signed the machine-config-server's certificate. */
  readonly rootCaPem: string;
}

/** Returns the config that refers a host to the machine-config server and its certificate authority. */
export function renderPointerIgnition(input: PointerInput): IgnitionConfig {
  return {
    ignition: {
      version: POINTER_SPEC_VERSION,
      config: { merge: [{ source: `https://${input.apiHost}:${MACHINE_CONFIG_PORT}/config/${input.pool}` }] },
      security: { tls: { certificateAuthorities: [{ source: toDataUrl(input.rootCaPem) }] } },
    },
  };
}

/** A role's pointer as it is for one machine-config pool: the last part of what it fetches. */
export function pointTo(config: IgnitionConfig, pool: string): IgnitionConfig {
  const merge = config.ignition.config?.merge?.map((resource) => ({
    ...resource,
    source: resource.source.replace(/\/config\/[^/?]+(?=$|\?)/, `/config/${pool}`),
  }));
  return merge ? { ...config, ignition: { ...config.ignition, config: { ...config.ignition.config, merge } } } : config;
}

/** What takes the place of a pointer where nothing is fetched: a single node brings its configuration along. */
export const emptyIgnition = (version = POINTER_SPEC_VERSION): IgnitionConfig => ({ ignition: { version } });
