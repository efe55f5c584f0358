import { memberAt } from '@muster/schema';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/** Rights of a user: administrator, read-only administrator, or access to the user's own resources. */
export type Role = 'admin' | 'read-only-admin' | 'user';

/** The authenticated caller. */
export interface Caller {
  /** `user`: a user or a named program. `agent`: the bearer of a token of an infra-env or cluster. */
  readonly kind: 'user' | 'agent';
  readonly user: string;
  readonly org: string;
  readonly role: Role;
  /** The resource to which the token gives access. Absent: the role decides. */
  readonly scope?: TokenScope;
}

export type TokenScope = { readonly infraEnvId: string } | { readonly clusterId: string };

/** The reach of the token of an infra-env: its own resources, or also the hosts of other infra-envs that are in a cluster with its hosts. */
export type TokenReach = 'scope' | 'cluster';

export type AccessMode = 'read' | 'write';

/** The members of a document that determine its owner. */
export interface Owned {
  readonly user_name?: unknown;
  readonly org_id?: unknown;
  readonly cluster_id?: unknown;
}

/** Without authentication every caller is an administrator of the one organisation, which has no name. */
export const ADMIN: Caller = { kind: 'user', user: 'admin', org: '', role: 'admin' };

export const agentOf = (scope: TokenScope): Caller => ({ kind: 'agent', user: '', org: '', role: 'user', scope });

/** Authentication schemes, as the v2 API names them. */
export type AuthScheme = 'userAuth' | 'agentAuth' | 'urlAuth' | 'imageAuth' | 'imageURLAuth' | 'watcherAuth';

/** Metadata key of the schemes that a route accepts. */
export const ACCEPTED_SCHEMES = Symbol('accepted schemes');
/** Metadata key of the roles that may call a route. */
export const ALLOWED_ROLES = Symbol('allowed roles');

/** The route serves callers that authenticate by one of these schemes. A route without it refuses every caller. */
export const Accepts = (...schemes: readonly AuthScheme[]): MethodDecorator =>
  applyDecorators(SetMetadata(ACCEPTED_SCHEMES, schemes), ...schemes.map((scheme) => ApiSecurity(scheme)));

/** The route serves every caller without authentication. */
export const AcceptsAnyone = (): MethodDecorator => SetMetadata(ACCEPTED_SCHEMES, 'anyone');

/**
 * Only users with one of these roles may call the route. Without this decorator every role may read, and
 * `read-only-admin` may not write.
 */
export const OnlyRoles = (...roles: readonly Role[]): MethodDecorator => SetMetadata(ALLOWED_ROLES, roles);

/** Metadata key of the routes on which a token reaches all hosts of the cluster. */
export const REACHES_CLUSTER = Symbol('reaches the hosts of the cluster');

/**
 * The bootstrap host and the controller call the route for every host of their cluster. Hosts of one cluster may belong to several
 * infra-envs, so a token of one infra-env reaches all hosts of the clusters that its hosts belong to.
 */
export const ReachesHostsOfCluster = (): MethodDecorator => SetMetadata(REACHES_CLUSTER, true);

/** Metadata key of the ids in a query that only filter a list. */
export const FILTERS_LIST = Symbol('the query filters a list');

/** Ids that only filter a list. */
export type FilterIds = readonly ('clusterId' | 'hostIds')[];

/**
 * The route lists only what the caller may read. So these ids in its query match nothing when they belong to another tenant, as those that
 * do not exist.
 */
export const FiltersList = (...ids: FilterIds): MethodDecorator => SetMetadata(FILTERS_LIST, ids);

/** Metadata key of the routes whose body describes hosts that are not registered. */
export const DESCRIBES_HOSTS = Symbol('the body describes hosts');

/** Hosts in the body are only described, for a dry run, so their ids name no registered host of anyone. */
export const DescribesHosts = (): MethodDecorator => SetMetadata(DESCRIBES_HOSTS, true);

export interface PathIds {
  readonly infraEnvId?: string;
  readonly clusterId?: string;
  readonly hostId?: string;
}

/** One authentication mode (AUTH_TYPE). */
export interface Authenticator {
  /**
   * Returns the identity of a valid credential; undefined for an invalid one.
   * @throws RefusalError `forbidden` for a genuine credential that does not give access to this route.
   */
  authenticate(scheme: AuthScheme, credential: string, path: PathIds): Promise<Caller | undefined>;
}

export const AUTHENTICATOR = Symbol('Authenticator');

type Asked = Pick<FastifyRequest, 'headers' | 'query'>;

/** The part of a request that carries the credential of a scheme. */
export interface CredentialPlace {
  readonly place: 'header' | 'query';
  readonly name: string;
  /** Description in the API document. */
  readonly description: string;
}

export const CREDENTIAL_PLACES: ReadonlyMap<AuthScheme, CredentialPlace> = new Map<AuthScheme, CredentialPlace>([
  ['userAuth', { place: 'header', name: 'Authorization', description: 'Token of a user, sent as `Bearer <token>`.' }],
  ['agentAuth', { place: 'header', name: 'X-Secret-Key', description: 'Token of an agent or a controller.' }],
  ['urlAuth', { place: 'query', name: 'api_key', description: 'Token of a signed URL.' }],
  ['imageAuth', { place: 'header', name: 'Image-Token', description: 'Token of an image, sent by the image service.' }],
  ['imageURLAuth', { place: 'query', name: 'image_token', description: 'Token of a signed image URL.' }],
  ['watcherAuth', { place: 'header', name: 'Watcher-Authorization', description: 'Token of a monitoring system.' }],
]);
const NOWHERE: Pick<CredentialPlace, 'place' | 'name'> = { place: 'query', name: '' };
const BEARER = /^bearer\s+/i;

/** Returns the credential of a scheme in the request; undefined when the request has none. */
export function credentialOf(scheme: AuthScheme, { headers, query }: Asked): string | undefined {
  const { place, name } = CREDENTIAL_PLACES.get(scheme) ?? NOWHERE;
  const given = place === 'header' ? headers[name.toLowerCase()] : memberAt(query, name);
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Returns the token after `Bearer`; undefined without `Bearer`. */
export function bearerToken(credential: string): string | undefined {
  return BEARER.test(credential) ? credential.replace(BEARER, '') : undefined;
}
