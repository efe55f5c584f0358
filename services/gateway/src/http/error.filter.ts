import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { isFullDisk, isLockedFile, RequestLogEntry, unavailableRefusal } from '@muster/nest-kit';
import { ObjectTooLarge, type Unavailable, unavailableIn } from '@muster/ports';
import {
  type ProblemCode,
  PROBLEMS,
  type Refusal,
  RefusalError,
  toProblemDocument,
  toV2Error,
  toV2InfraError,
} from '@muster/problems';
import { errorMessage, isObject } from '@muster/schema';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_YOURS } from '../auth/ownership';
import { SchemaViolation } from './request.pipes';
import { cleanPath, isOfMusterApi, RouteTable } from './routes';

interface ErrorAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: object;
  readonly headers?: { readonly [name: string]: string };
}

/** An error that the HTTP server or the routing found, before a handler ran. */
interface HttpError {
  readonly status: number;
  readonly message: string;
  readonly headers?: { readonly [name: string]: string };
}

const INTERNAL: Refusal = {
  code: 'internal',
  reason: 'Internal error. The log of the service has the details under the X-Request-Id of this answer.',
};
const INFRA_STATUSES: readonly number[] = [401, 403];
const RETRY_AFTER_SECONDS = 5;
const V2_TYPE = 'application/json; charset=utf-8';
export const PROBLEM_TYPE = 'application/problem+json';
/** Codes of errors that the HTTP server finds. Problems with other statuses have no code. */
const CODES: ReadonlyMap<number, ProblemCode> = new Map([
  [400, 'invalid-input'],
  [404, 'not-found'],
  [413, 'too-large'],
]);

/**
 * Converts every error of the gateway to a response body: a problem for paths of the Muster API, otherwise `error` or
 * `infra_error` of the v2 API, or `{code, message}`.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('gateway');

  constructor(private readonly routes: RouteTable) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const { status, headers, type, body } = errorAnswer(request.url, this.explain(error, request));
    if (reply.sent) return;
    void reply
      .status(status)
      .headers({ ...headers })
      .type(type)
      .send(JSON.stringify(body));
  }

  private explain(error: unknown, request: FastifyRequest): Refusal | HttpError {
    if (request.hidesMissing && saysMissing(error)) return NOT_YOURS;
    if (error instanceof RefusalError) return error.refusal;
    if (error instanceof ObjectTooLarge) return { code: 'too-large', reason: error.message };
    if (error instanceof SchemaViolation) return { status: error.status, message: error.message };
    const unavailable = unavailableIn(error);
    if (unavailable) return unavailableRefusal(forRequest(unavailable, request));
    if (isFullDisk(error))
      return { code: 'insufficient-storage', reason: `Nothing was stored: ${errorMessage(error)}` };
    const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
    if (status === 404) return this.unknownRoute(request);
    if (status !== undefined && status >= 400 && status < 500) return { status, message: errorMessage(error) };
    this.logger.error(logEntryOf(error, request));
    return isLockedFile(error) ? { code: 'unavailable', reason: errorMessage(error) } : INTERNAL;
  }

  private unknownRoute(request: FastifyRequest): HttpError {
    const [path = ''] = cleanPath(request.url).split('?');
    const methods = this.routes.methodsOf(path);
    if (methods.length === 0 || methods.includes(request.method))
      return { status: 404, message: `path ${path.slice(0, 256)} was not found` };
    const allowed = methods.join(', ');
    return {
      status: 405,
      message: `method ${request.method} is not allowed here, but [${allowed}] are`,
      headers: { Allow: allowed },
    };
  }
}

/**
 * Logs the error that ends the content of an answer after its head was sent. The client sees only that the connection ended. Earlier
 * errors are answered.
 */
export function logBrokenAnswers(server: FastifyInstance): void {
  const logger = new Logger('gateway');
  server.addHook('onSend', (request, { raw }, payload, done) => {
    if (payload instanceof Readable)
      payload.once('error', (error) => {
        const isClientGone = raw.destroyed;
        if (raw.headersSent && !isClientGone) logger.error(logEntryOf(error, request, 'The content ended early. '));
      });
    done(null, payload);
  });
}

function logEntryOf(error: unknown, request: FastifyRequest, explanation = ''): RequestLogEntry {
  const { id: requestId, correlationId, method, routeOptions } = request;
  const text = error instanceof Error ? error.stack : errorMessage(error);
  return new RequestLogEntry(`${method} ${routeOptions?.url ?? ''}: ${explanation}${text}`, {
    requestId,
    correlationId,
  });
}

/** Whether the error shows that the resource does not exist: the form of a request is checked after the access. */
const saysMissing = (error: unknown): boolean =>
  error instanceof SchemaViolation || (error instanceof RefusalError && error.refusal.code === 'not-found');

/** The services report their own errors. An error of the gateway can follow a command that was executed. */
const forRequest = (
  { message, isOutcomeUnknown }: Unavailable,
  { method }: Pick<FastifyRequest, 'method'>,
): Pick<Unavailable, 'message' | 'isOutcomeUnknown'> => ({
  message,
  isOutcomeUnknown: isOutcomeUnknown || !['GET', 'HEAD'].includes(method),
});

/** Returns the answer in the form of the API to which the URL belongs. */
export function errorAnswer(url: string, error: Refusal | HttpError): ErrorAnswer {
  const answer = 'code' in error ? refused(error) : found(error);
  const { status, problem, body, headers } = answer;
  return isOfMusterApi(url)
    ? { status, headers, type: PROBLEM_TYPE, body: problem }
    : { status, headers, type: V2_TYPE, body };
}

interface Answers extends Omit<ErrorAnswer, 'type'> {
  /** The body in the Muster API. `body` is the one in the v2 API. */
  readonly problem: object;
}

function refused(refusal: Refusal): Answers {
  const { status } = PROBLEMS[refusal.code];
  return {
    status,
    problem: toProblemDocument(refusal),
    body: INFRA_STATUSES.includes(status) ? toV2InfraError(refusal) : toV2Error(refusal),
    headers:
      status === 503 || status === 429
        ? { 'Retry-After': String(refusal.retryAfterSeconds ?? RETRY_AFTER_SECONDS) }
        : undefined,
  };
}

function found({ status, message, headers }: HttpError): Answers {
  const code = CODES.get(status);
  const problem = code
    ? toProblemDocument({ code, reason: message })
    : { type: 'about:blank', title: STATUS_CODES[status], status, detail: message };
  return { status, problem, body: { code: status, message }, headers };
}

/** Errors of the HTTP server (body limit, media type, invalid JSON) have a status. */
function statusOf(error: unknown): number | undefined {
  const status = isObject(error) ? error['statusCode'] : undefined;
  return typeof status === 'number' ? status : undefined;
}
