import { randomUUID } from 'node:crypto';
import { isTrueText } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { currentRequest } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { documented, headerNote } from '../http/headers';
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
  const scope = currentRequest();
  if (scope) scope.correlationId = commandId;
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

const HEADER = 'get_unregistered_clusters';

const readWithDeleted = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { headers, caller = ADMIN } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!isTrueText(headers[HEADER])) return false;
  if (seesWhatOthersMade(caller)) return true;
  throw new RefusalError({
    code: 'forbidden',
    reason: `Only administrators can list deleted clusters. Omit the header ${HEADER}.`,
    subject: HEADER,
  });
});

/** Whether deleted resources are requested as well. @throws RefusalError `forbidden` for callers that are not administrators. */
export const WithDeleted = (): ParameterDecorator =>
  documented(readWithDeleted(), headerNote(HEADER, { type: 'boolean', default: false }));

const seesWhatOthersMade = ({ kind, role }: Caller): boolean => kind === 'user' && role !== 'user';
