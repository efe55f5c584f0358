import { unavailableRefusal } from '@muster/nest-kit';
import { unavailableIn } from '@muster/ports';
import { PROBLEMS, type Refusal, RefusalError, toProblemDocument } from '@muster/problems';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

const RETRY_AFTER_SECONDS = '5';

/** Converts every error of this service to an RFC 9457 problem with a remedy. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('image');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    if (reply.sent) return;
    const refusal = this.refusalOf(error, request);
    const { status } = PROBLEMS[refusal.code];
    if (status === PROBLEMS.busy.status) void reply.header('retry-after', RETRY_AFTER_SECONDS);
    void reply
      .status(status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblemDocument(refusal)));
  }

  private refusalOf(error: unknown, request: FastifyRequest): Refusal {
    if (error instanceof RefusalError) return error.refusal;
    const unavailable = unavailableIn(error);
    // A download changes nothing.
    if (unavailable) return unavailableRefusal({ message: unavailable.message, isOutcomeUnknown: false });
    if (error instanceof HttpException && error.getStatus() === PROBLEMS['not-found'].status)
      return { code: 'not-found', reason: 'The path was not found.' };
    if (error instanceof HttpException) return { code: 'invalid-input', reason: error.message };
    // The route pattern is logged instead of the URL, because the URL may contain a token.
    this.logger.error(
      `${request.method} ${request.routeOptions?.url ?? ''}: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return {
      code: 'internal',
      reason: 'The image could not be created because of an internal error. The log of the service has the details.',
    };
  }
}
