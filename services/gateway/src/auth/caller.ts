/** Rights of a user: everything, reading everything, or its own resources. */
export type Role = 'admin' | 'read-only-admin' | 'user';

/** The authenticated caller. */
export interface Caller {
  /** A user or program with a name, or `agent` for those that prove themselves by an infra-env's or cluster's token. */
  readonly kind: 'user' | 'agent';
  readonly user: string;
  readonly org: string;
  readonly role: Role;
  /** What a token is for; absent: whatever the role may have. */
  readonly scope?: TokenScope;
}

export type TokenScope = { readonly infraEnvId: string } | { readonly clusterId: string };

/** Without authentication everyone is the administrator of the one, nameless organisation. */
export const ADMIN: Caller = { kind: 'user', user: 'admin', org: '', role: 'admin' };

export const agentOf = (scope: TokenScope): Caller => ({ kind: 'agent', user: '', org: '', role: 'user', scope });
