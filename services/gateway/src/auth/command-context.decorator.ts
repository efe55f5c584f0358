import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CommandContext } from '@muster/event-sourcing';
import type { FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { ADMIN, type Caller } from './caller';

/** The command context of this request: caller, request id, source address. */
export const Context = createParamDecorator((_: unknown, context: ExecutionContext) =>
  toCommandContext(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The caller. */
export const Who = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<FastifyRequest>().caller ?? NOBODY,
);

/** Public routes have no caller. */
const NOBODY: Caller = { kind: 'user', user: '', org: '', role: 'user' };

export function toCommandContext(request: FastifyRequest): CommandContext {
  const { caller = ADMIN } = request;
  const commandId = randomUUID();
  return {
    commandId,
    correlationId: commandId,
    requestId: request.id,
    actor: actorOf(caller, request.params as PathIds),
    user: caller.user,
    org: caller.org,
    sourceAddress: request.ip,
  };
}

interface PathIds {
  readonly host_id?: string;
  readonly cluster_id?: string;
}

function actorOf(caller: Caller, path: PathIds): string {
  if (caller.kind === 'user') return caller.user;
  const scope = caller.scope ?? { infraEnvId: '' };
  return `agent:${path.host_id ?? ('infraEnvId' in scope ? scope.infraEnvId : scope.clusterId)}`;
}
