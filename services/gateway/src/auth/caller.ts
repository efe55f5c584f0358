/** Who is asking, as far as it was proven. */
export interface Caller {
  /** A user name, or `agent` for those that prove themselves by an infra-env's or cluster's token. */
  readonly kind: 'user' | 'agent';
  readonly user: string;
  readonly org: string;
  /** What a local token is for; absent: everything. */
  readonly scope?: TokenScope;
}

export type TokenScope = { readonly infraEnvId: string } | { readonly clusterId: string };

/** Without authentication everyone is the administrator of the one, nameless organisation. */
export const ADMIN: Caller = { kind: 'user', user: 'admin', org: '' };
