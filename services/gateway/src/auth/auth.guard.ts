import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Refusal, RefusalError } from '@muster/problems';
import type { FastifyRequest } from 'fastify';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';
import { ACCEPTED_SCHEMES, type AuthScheme } from './accepts.decorator';
import { ADMIN, type Caller } from './caller';
import { LocalTokens } from './local-tokens';
import { TokenScopes } from './token-scope.service';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard before a handler runs. */
    caller?: Caller;
  }
}

const UNAUTHORIZED: Refusal = {
  code: 'unauthorized',
  reason: 'The request carries no token that this route accepts; send one in the header or parameter of the contract.',
};

/** Lets nobody through who has not proven himself by a scheme of the route. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly scopes: TokenScopes,
    private readonly tokens: LocalTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const schemes = this.reflector.get<readonly AuthScheme[] | 'anyone' | undefined>(
      ACCEPTED_SCHEMES,
      context.getHandler(),
    );
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (schemes === 'anyone') return true;
    if (schemes === undefined) throw new RefusalError(UNAUTHORIZED);
    request.caller = this.config.authType === 'none' ? ADMIN : await this.fromLocalToken(schemes, request);
    return true;
  }

  private async fromLocalToken(schemes: readonly AuthScheme[], request: FastifyRequest): Promise<Caller> {
    const token = presentedToken(schemes, request);
    const scope = token === undefined ? undefined : await this.tokens.verify(token);
    if (!scope || !(await this.scopes.exists(scope))) throw new RefusalError(UNAUTHORIZED);
    const params = request.params as { readonly infra_env_id?: string; readonly cluster_id?: string };
    const path = { infraEnvId: params.infra_env_id?.toLowerCase(), clusterId: params.cluster_id?.toLowerCase() };
    if (!(await this.scopes.covers(scope, path))) {
      // As if it were not there: a token must not tell which other ids exist.
      throw new RefusalError({ code: 'not-found', reason: 'There is nothing here that this token may see.' });
    }
    return { kind: 'agent', user: '', org: '', scope };
  }
}

function presentedToken(schemes: readonly AuthScheme[], request: FastifyRequest): string | undefined {
  const header = request.headers['x-secret-key'];
  if (schemes.includes('agentAuth') && typeof header === 'string' && header !== '') return header;
  const parameter = (request.query as { readonly api_key?: unknown }).api_key;
  return schemes.includes('urlAuth') && typeof parameter === 'string' ? parameter : undefined;
}
