import { RequestLogEntry, unavailableRefusal } from '@muster/nest-kit';
import { ObjectTooLarge, unavailableIn } from '@muster/ports';
import { PROBLEMS, type Refusal, RefusalError, toV2Error, toV2InfraError } from '@muster/problems';
import { errorMessage, isObject } from '@muster/schema';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cleanPath } from './fastify-server';
import { SchemaViolation } from './request.pipes';
import { RouteTable } from './routes';

interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: { readonly [name: string]: string };
}

const INTERNAL: Refusal = {
  code: 'internal',
  reason: 'Internal error. The log of the service has the details under the X-Request-Id of this answer.',
};
const INFRA_STATUSES: readonly number[] = [401, 403];
const RETRY_AFTER_SECONDS = 5;

/**
 * Converts every error of the gateway to a response body: `error` or `infra_error` of the v2 API, or `{code, message}`.
 */
@Catch()
export class V2ExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('gateway');

  constructor(private readonly routes: RouteTable) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const answer = this.answer(error, request);
    if (reply.sent) return;
    void reply
      .status(answer.status)
      .headers({ ...answer.headers })
      .type('application/json; charset=utf-8')
      .send(answer.body);
  }

  private answer(error: unknown, request: FastifyRequest): ErrorAnswer {
    if (error instanceof RefusalError) return refused(error.refusal);
    if (error instanceof ObjectTooLarge) return refused({ code: 'too-large', reason: error.message });
    if (error instanceof SchemaViolation) return framework(error.status, error.message);
    const unavailable = unavailableIn(error);
    if (unavailable) return refused(unavailableRefusal(unavailable));
    const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
    if (status === 404) return this.unknownRoute(request);
    if (status !== undefined && status >= 400 && status < 500) return framework(status, errorMessage(error));
    const { id: requestId, correlationId } = request;
    const text = `${request.method} ${request.routeOptions?.url ?? ''}: ${error instanceof Error ? error.stack : errorMessage(error)}`;
    this.logger.error(new RequestLogEntry(text, { requestId, correlationId }));
    return refused(INTERNAL);
  }

  private unknownRoute(request: FastifyRequest): ErrorAnswer {
    const [path = ''] = cleanPath(request.url).split('?');
    const methods = this.routes.methodsOf(path);
    if (methods.length === 0 || methods.includes(request.method)) {
      return framework(404, `path ${path.slice(0, 256)} was not found`);
    }
    const allowed = methods.join(', ');
    return {
      ...framework(405, `method ${request.method} is not allowed here, but [${allowed}] are`),
      headers: { Allow: allowed },
    };
  }
}

function refused(refusal: Refusal): ErrorAnswer {
  const { status } = PROBLEMS[refusal.code];
  return {
    status,
    body: INFRA_STATUSES.includes(status) ? toV2InfraError(refusal) : toV2Error(refusal),
    headers:
      status === 503 || status === 429
        ? { 'Retry-After': String(refusal.retryAfterSeconds ?? RETRY_AFTER_SECONDS) }
        : undefined,
  };
}

const framework = (code: number, message: string): ErrorAnswer => ({ status: code, body: { code, message } });

/** Errors of the HTTP server (body limit, media type, invalid JSON) have a status. */
function statusOf(error: unknown): number | undefined {
  const status = isObject(error) ? error['statusCode'] : undefined;
  return typeof status === 'number' ? status : undefined;
}
