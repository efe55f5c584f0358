import { type Refusal, RefusalError } from '@muster/problems';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { hasBody, readBody } from '../http/request-body';
import {
  ACCEPTED_SCHEMES,
  type AccessMode,
  ADMIN,
  ALLOWED_ROLES,
  AUTHENTICATOR,
  type Authenticator,
  type AuthScheme,
  type Caller,
  credentialOf,
  DESCRIBES_HOSTS,
  type FilterIds,
  FILTERS_LIST,
  type PathIds,
  REACHES_CLUSTER,
  type Role,
  type TokenReach,
} from './caller';
import { DownloadUrls, OPENED_BY_URL } from './download-urls';
import { LastSeen } from './last-seen';
import { idsOfBody, idsOfPath, idsOfQuery, type NamedIds, NOT_YOURS, Ownership, TokenScopes } from './ownership';
import { RequestRates } from './request-rates';

declare module 'fastify' {
  interface FastifyRequest {
    /** The guard sets this before a handler runs. */
    caller?: Caller;
    /** The refusal for a resource that does not exist equals that for one of another tenant. */
    hidesMissing?: boolean;
  }
}

const UNAUTHORIZED: Refusal = {
  code: 'unauthorized',
  reason:
    'The credentials are missing or not valid. Send a token in the header or parameter that the API document names for this operation.',
};
const READING: readonly string[] = ['GET', 'HEAD'];
const READERS: readonly Role[] = ['admin', 'read-only-admin', 'user'];
const WRITERS: readonly Role[] = ['admin', 'user'];

/** Checks the ids of paths, queries and bodies against the caller, for all routes. */
@Injectable()
export class ResourceAccess {
  constructor(
    private readonly scopes: TokenScopes,
    private readonly ownership: Ownership,
  ) {}

  /**
   * Ids of resources that do not exist pass; the handler refuses them.
   * @throws RefusalError `not-found` for a resource outside of the token's scope or of another tenant, `forbidden` for
   * a resource that the caller may only read.
   */
  async check(caller: Caller, accessMode: AccessMode, ids: NamedIds, reach?: TokenReach): Promise<void> {
    // The refusal equals that for a missing resource, so that a token does not reveal which ids exist.
    if (caller.scope && !(await this.scopes.covers(caller.scope, ids, reach)))
      throw new RefusalError({ code: 'not-found', reason: 'Not found, or this token does not give access to it.' });
    await this.ownership.check(caller, accessMode, ids);
  }

  /** Whether the resources exist for this caller. */
  knows(caller: Caller, ids: NamedIds): Promise<boolean> {
    return this.ownership.knows(caller, ids);
  }
}

/** Authenticates by the schemes of the route and authorizes against roles, token scopes and resource ownership. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    private readonly access: ResourceAccess,
    private readonly rates: RequestRates,
    private readonly lastSeen: LastSeen,
    private readonly downloads: DownloadUrls,
  ) {}

  // Without authentication the result is not a promise, which Nest would await.
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const handler = context.getHandler();
    const schemes = this.reflector.get<readonly AuthScheme[] | 'anyone' | undefined>(ACCEPTED_SCHEMES, handler);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (schemes === 'anyone') return true;
    if (schemes === undefined) throw new RefusalError(UNAUTHORIZED);
    if (this.config.authType === 'none') {
      request.caller = ADMIN;
      this.rates.count(this.countedAs(undefined, pathIdsOf(request), request.ip));
      return true;
    }
    return this.admit(request, handler, schemes);
  }

  /** @throws RefusalError for a caller without a valid credential or without access to the resources of the request */
  private async admit(request: FastifyRequest, handler: Handler, schemes: readonly AuthScheme[]): Promise<boolean> {
    const path = pathIdsOf(request);
    const isDownload = this.reflector.get<boolean | undefined>(OPENED_BY_URL, handler) === true;
    const caller =
      (isDownload && (await this.downloads.callerOf(request))) || (await this.identify(schemes, request, path));
    if (!caller) {
      this.rates.countFailure(request.ip);
      throw new RefusalError(UNAUTHORIZED);
    }
    this.rates.count(this.countedAs(caller, path, request.ip));
    await this.authorize(caller, handler, request);
    request.caller = caller;
    return true;
  }

  /**
   * The key under which requests are counted: the user, the host or the token. The address is the key only when none of
   * them is known, because a whole site may share one address. A host has a key of its own after its first poll of this
   * gateway, so invented host ids do not avoid the limit.
   */
  private countedAs(caller: Caller | undefined, { infraEnvId, hostId }: PathIds, address: string): string {
    if (caller?.kind === 'user' && caller.user !== '') return caller.user;
    if (infraEnvId && hostId && this.lastSeen.knows(infraEnvId, hostId)) return `host:${infraEnvId}/${hostId}`;
    return caller?.scope ? `token:${Object.values(caller.scope).join()}` : address;
  }

  /** Returns the caller by the first scheme of the route for which the request has a valid credential. */
  private async identify(
    schemes: readonly AuthScheme[],
    request: FastifyRequest,
    path: PathIds,
  ): Promise<Caller | undefined> {
    for (const scheme of schemes) {
      const credential = credentialOf(scheme, request);
      const caller = credential && (await this.authenticator.authenticate(scheme, credential, path));
      if (caller) return caller;
    }
    return undefined;
  }

  private async authorize(caller: Caller, handler: Handler, request: FastifyRequest): Promise<void> {
    const isReading = READING.includes(request.method);
    const roles = this.reflector.get<readonly Role[] | undefined>(ALLOWED_ROLES, handler);
    const allowed = roles ?? (isReading ? READERS : WRITERS);
    // Only the users of an identity provider have roles. In the other modes the scheme of a token decides what it may call.
    if (this.config.authType === 'oidc' && caller.kind === 'user' && !allowed.includes(caller.role))
      throw new RefusalError({
        code: 'forbidden',
        reason: `The role ${caller.role} does not allow this operation.`,
        allowed: [...allowed],
      });
    const accessMode = isReading ? 'read' : 'write';
    const reach = reachOf(this.reflector, handler);
    await this.access.check(caller, accessMode, idsOfPath(request), reach);
    const filters = this.reflector.get<FilterIds | undefined>(FILTERS_LIST, handler);
    await this.access.check(caller, accessMode, withoutFilters(caller, idsOfQuery(request), filters), reach);
    // Otherwise a user could find out which ids exist. A repeated deletion has the answer of the first one.
    if (await this.access.knows(caller, idsOfPath(request))) return;
    if (request.method !== 'DELETE' || request.headers['idempotency-key'] === undefined)
      throw new RefusalError(NOT_YOURS);
    request.hidesMissing = true;
  }
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

const reachOf = (reflector: Reflector, handler: Handler): TokenReach =>
  reflector.get<boolean | undefined>(REACHES_CLUSTER, handler) === true ? 'cluster' : 'scope';

/** The query of a token has to name its own resources. */
const withoutFilters = ({ scope }: Caller, ids: NamedIds, filters: FilterIds | undefined): NamedIds =>
  filters && !scope
    ? {
        ...ids,
        clusterId: filters.includes('clusterId') ? undefined : ids.clusterId,
        hostIds: filters.includes('hostIds') ? [] : ids.hostIds,
      }
    : ids;

function pathIdsOf(request: FastifyRequest): PathIds {
  const { clusterId, infraEnvId, hostIds } = idsOfPath(request);
  return { clusterId, infraEnvId, hostId: hostIds[0] };
}

/** Runs after the AuthGuard: reads the body of an identified caller, and checks the ids in it. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: ResourceAccess,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'authType'>,
  ) {}

  // As in the AuthGuard, Nest awaits nothing for a request without a body.
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return !hasBody(request) || this.admit(request, context.getHandler());
  }

  private async admit(request: FastifyRequest, handler: Handler): Promise<boolean> {
    const objects = await readBody(request, this.config.authType === 'none');
    const { caller } = request;
    const reach = reachOf(this.reflector, handler);
    if (caller && objects)
      for (const named of idsOfBody(objects, request)) {
        const isDescribed = this.reflector.get<boolean | undefined>(DESCRIBES_HOSTS, handler) === true;
        const ids = isDescribed ? { ...named, hostIds: [] } : named;
        await this.access.check(caller, 'write', ids, reach);
        if (!(await this.access.knows(caller, ids))) throw new RefusalError(NOT_YOURS);
      }
    return true;
  }
}
