import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Refusal, RefusalError } from '@muster/problems';
import type { FastifyRequest } from 'fastify';
import { LastSeen } from './last-seen';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';
import { ACCEPTED_SCHEMES, ALLOWED_ROLES, type AuthScheme } from './accepts.decorator';
import { AUTHENTICATOR, type Authenticator, type PathIds } from './authenticator';
import { ADMIN, type Caller, type Role } from './caller';
import { credentialOf } from './credentials';
import { Ownership } from './ownership';
import { RequestRates } from './request-rates';
import { TokenScopes } from './token-scope.service';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard before a handler runs. */
    caller?: Caller;
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

/** Lets nobody through who has not proven himself by a scheme of the route, or asks for what is not his. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    private readonly scopes: TokenScopes,
    private readonly ownership: Ownership,
    private readonly rates: RequestRates,
    private readonly lastSeen: LastSeen,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
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
    const path = pathIdsOf(request);
    const caller = await this.identify(schemes, request, path);
    if (!caller) {
      this.rates.countFailure(request.ip);
      throw new RefusalError(UNAUTHORIZED);
    }
    this.rates.count(this.countedAs(caller, path, request.ip));
    await this.authorize(
      caller,
      this.reflector.get<readonly Role[] | undefined>(ALLOWED_ROLES, handler),
      request,
      path,
    );
    request.caller = caller;
    return true;
  }

  /**
   * Whose requests are counted together: those of a person, of a host, of a token; only without any of them those of an address, as
   * a whole site may share one. A host counts for itself once it spoke here: ids that somebody makes up do not.
   */
  private countedAs(caller: Caller | undefined, { infraEnvId, hostId }: PathIds, address: string): string {
    if (caller?.kind === 'user' && caller.user !== '') return caller.user;
    if (infraEnvId && hostId && this.lastSeen.knows(infraEnvId, hostId)) return `host:${infraEnvId}/${hostId}`;
    return caller?.scope ? `token:${Object.values(caller.scope).join()}` : address;
  }

  /** The first scheme of the route by which the request proves anything. */
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

  private async authorize(
    caller: Caller,
    roles: readonly Role[] | undefined,
    { method }: FastifyRequest,
    path: PathIds,
  ): Promise<void> {
    const isReading = READING.includes(method);
    const allowed = roles ?? (isReading ? READERS : WRITERS);
    if (caller.kind === 'user' && !allowed.includes(caller.role))
      throw new RefusalError({
        code: 'forbidden',
        reason: `The role ${caller.role} does not allow this operation.`,
        allowed: [...allowed],
      });
    // As if it were not there: a token must not tell which other ids exist.
    if (caller.scope && !(await this.scopes.covers(caller.scope, path)))
      throw new RefusalError({ code: 'not-found', reason: 'Not found, or this token does not give access to it.' });
    await this.ownership.check(caller, isReading ? 'read' : 'write', path);
  }
}

function pathIdsOf({ params }: FastifyRequest): PathIds {
  const { infra_env_id, cluster_id, host_id } = params as { readonly [name: string]: string | undefined };
  return {
    infraEnvId: infra_env_id?.toLowerCase(),
    clusterId: cluster_id?.toLowerCase(),
    hostId: host_id?.toLowerCase(),
  };
}
