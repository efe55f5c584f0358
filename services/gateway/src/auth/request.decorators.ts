import { createHash, randomUUID } from 'node:crypto';
import { isTrueText } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import type { Ids } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../bus/commands';
import { documented, documentHeader, documentPathParameter, EVALUATION_HEADER, ID_SCHEMA } from '../http/headers';
import { pathId } from '../http/request.pipes';
import { ADMIN, type Caller } from './caller';

declare module 'fastify' {
  interface FastifyRequest {
    /** The correlation id of the commands of this request, for its log entries. */
    correlationId?: string;
    /** A position of the event store that was reached before. */
    reachedPosition?: number;
  }
}

/** The command context of this request: caller, request id, source address. */
export const Context = createParamDecorator((_: unknown, context: ExecutionContext) => requestContextOf(context));

function requestContextOf(context: ExecutionContext): RequestContext {
  const http = context.switchToHttp();
  const reply = http.getResponse<FastifyReply>();
  return {
    ...toCommandContext(http.getRequest<FastifyRequest>()),
    endedEarly: () => void reply.header(EVALUATION_HEADER, 'incomplete'),
  };
}

/** A request of the agent of a host. */
export interface AgentRequest {
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly context: RequestContext;
}

const readAgentRequest = createParamDecorator((_: unknown, context: ExecutionContext): AgentRequest => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest>();
  const idOf = (name: string): string => pathId(textAt(params, name) ?? '', name);
  return { infraEnvId: idOf('infra_env_id'), hostId: idOf('host_id'), context: requestContextOf(context) };
});

/** The host of the path and the command context in one parameter, because Nest takes ten promises for each parameter. */
export const FromAgent = (): ParameterDecorator =>
  documented(
    readAgentRequest(),
    applyDecorators(documentPathParameter('infra_env_id', ID_SCHEMA), documentPathParameter('host_id', ID_SCHEMA)),
  );

/** The caller. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<FastifyRequest>().caller ?? UNAUTHENTICATED,
);

/** The caller of a public route, which needs no credentials. */
const UNAUTHENTICATED: Caller = { kind: 'user', user: '', org: '', role: 'user' };

export function toCommandContext(request: FastifyRequest): CommandContext {
  const { caller = ADMIN } = request;
  const actor = actorOf(caller, textAt(request.params, 'host_id'));
  const commandId = commandIdOf(request, caller.org, actor);
  request.correlationId = commandId;
  return {
    commandId,
    unusedUpTo: isRepeatable({ commandId }) ? undefined : request.reachedPosition,
    correlationId: commandId,
    requestId: request.id,
    actor,
    user: caller.user,
    org: caller.org,
    sourceAddress: request.ip,
  };
}

const IDEMPOTENCY_KEY = 'idempotency-key';
const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;
/** Version digit of ids that are derived from a key (RFC 9562, version 8). */
const DERIVED_VERSION = '8';
const VERSION_INDEX = 14;

/**
 * Returns the command id. With the header `Idempotency-Key`, repeated requests of the same caller to the same path have
 * the same command id, so a repetition stores nothing and gets the first response.
 */
function commandIdOf({ headers, method, url }: FastifyRequest, org: string, actor: string): string {
  const key = headers[IDEMPOTENCY_KEY];
  if (key === undefined) return randomUUID();
  if (typeof key !== 'string' || !KEY_PATTERN.test(key))
    throw new RefusalError({
      code: 'invalid-input',
      reason: 'The header Idempotency-Key is not valid. Allowed: 1 to 255 visible ASCII characters without spaces.',
      subject: 'Idempotency-Key',
    });
  // Without a blank in the organisation, no two callers have the same text.
  const caller = `${org.replace(/[% ]/g, encodeURIComponent)} ${actor}`;
  return derivedId([caller, method, url.split('?', 1)[0] ?? '', key]);
}

/** Returns whether the request has an `Idempotency-Key`, so that the resource that it creates may already exist. */
export const isRepeatable = ({ commandId }: Pick<CommandContext, 'commandId'>): boolean =>
  commandId.charAt(VERSION_INDEX) === DERIVED_VERSION;

/** Returns the id of a new resource. Repetitions with the same `Idempotency-Key` get the same id. */
export const newResourceId = (context: CommandContext, ids: Ids): string =>
  isRepeatable(context) ? derivedId([context.commandId, 'resource']) : ids.uuid();

function derivedId(parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${DERIVED_VERSION}${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function actorOf(caller: Caller, hostId: string | undefined): string {
  if (caller.kind === 'user') return caller.user;
  const scope = caller.scope ?? { infraEnvId: '' };
  return `agent:${hostId ?? ('infraEnvId' in scope ? scope.infraEnvId : scope.clusterId)}`;
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

/**
 * Whether the request includes deleted resources.
 * @throws RefusalError `forbidden` for callers that are not administrators.
 */
export const WithDeleted = (): ParameterDecorator =>
  documented(readWithDeleted(), documentHeader(HEADER, { type: 'boolean', default: false }));

const seesWhatOthersMade = ({ kind, role }: Caller): boolean => kind === 'user' && role !== 'user';
