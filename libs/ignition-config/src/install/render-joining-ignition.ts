import { toDataUrl } from '../config/data-url';
import type { IgnitionConfig } from '../config/ignition-config';
import { POINTER_SPEC_VERSION } from './render-pointer-ignition';

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
