import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';
import { readBody } from '../http/read-body';
import { idsOfBody } from './named-ids';
import { ResourceAccess } from './resource-access';

/** Runs behind the AuthGuard: reads the body once the caller is identified, and checks the ids that it names. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly access: ResourceAccess,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'authType'>,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!(await readBody(request, this.config.authType === 'none'))) return true;
    if (request.caller) await this.access.check(request.caller, 'write', idsOfBody(request));
    return true;
  }
}
