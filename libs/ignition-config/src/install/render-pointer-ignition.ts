import type { IgnitionConfig } from '../config/ignition-config';
import { toDataUrl } from '../config/ignition-file';

export const POINTER_SPEC_VERSION = '3.2.0';
/** The TLS port of the machine-config server of a cluster. */
const MACHINE_CONFIG_PORT = 22_623;

export interface PointerInput {
  /** Host name of the cluster's internal API, such as api-int.demo.example.com. */
  readonly apiHost: string;
  /** Machine-config pool: master, worker, arbiter or a custom one. */
  readonly pool: string;
  /** PEM of the certificate authority of the machine-config server. */
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

/** Returns the pointer of a role with another machine-config pool: the last part of its URL. */
export function pointTo(config: IgnitionConfig, pool: string): IgnitionConfig {
  const merge = config.ignition.config?.merge?.map((resource) => ({
    ...resource,
    source: resource.source.replace(/\/config\/[^/?]+(?=$|\?)/, `/config/${pool}`),
  }));
  return merge ? { ...config, ignition: { ...config.ignition, config: { ...config.ignition.config, merge } } } : config;
}

/** Replaces the pointer of a single node, whose disk already contains its configuration. */
export const emptyIgnition = (version = POINTER_SPEC_VERSION): IgnitionConfig => ({ ignition: { version } });

export interface JoiningInput {
  /**
   * The URL where the running cluster serves the configuration of machines, without the pool:
   * `http://api.x.y:22624/config`.
   */
  readonly endpoint: string;
  /** Machine-config pool. */
  readonly pool: string;
  /** PEM of the certificate authority of the endpoint. Empty when it has none. */
  readonly caPem: string;
  /** Token for the endpoint. Secret. */
  readonly token: string;
  /** Header names and values. Secrets. */
  readonly headers: { readonly [name: string]: string };
}

/** Returns the config of a machine that joins a running cluster. */
export function renderJoiningIgnition({ endpoint, pool, caPem, token, headers }: JoiningInput): IgnitionConfig {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const others = named.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const httpHeaders = token ? [...others, { name: 'Authorization', value: `Bearer ${token}` }] : named;
  return {
    ignition: {
      version: POINTER_SPEC_VERSION,
      config: { merge: [{ source: `${endpoint}/${pool}`, ...(httpHeaders.length > 0 && { httpHeaders }) }] },
      ...(caPem && { security: { tls: { certificateAuthorities: [{ source: toDataUrl(caPem) }] } } }),
    },
  };
}
