import type { IgnitionConfig } from '../config/ignition-config';
import { toDataUrl } from '../config/ignition-file';

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

export interface JoiningInput {
  /** Where the running cluster serves the configuration of machines, without the pool: `http://api.x.y:22624/config`. */
  readonly endpoint: string;
  /** Machine-config pool. */
  readonly pool: string;
  /** PEM of the authority that signed the endpoint's certificate; empty when it has none. */
  readonly caPem: string;
  /** What the endpoint asks for; a secret. */
  readonly token: string;
  /** Name → value; secrets. */
  readonly headers: { readonly [name: string]: string };
}

/** What a machine is written with that joins a cluster which runs already. */
export function renderJoiningIgnition({ endpoint, pool, caPem, token, headers }: JoiningInput): IgnitionConfig {
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const httpHeaders = token ? [...named, { name: 'Authorization', value: `Bearer ${token}` }] : named;
  return {
    ignition: {
      version: POINTER_SPEC_VERSION,
      config: { merge: [{ source: `${endpoint}/${pool}`, ...(httpHeaders.length > 0 && { httpHeaders }) }] },
      ...(caPem && { security: { tls: { certificateAuthorities: [{ source: toDataUrl(caPem) }] } } }),
    },
  };
}
