import type { DescMethod } from '@bufbuild/protobuf';
import { subjectOfMethod } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AppendTooLarge, type IncomingMessage, type JsonValue, type Requests, unavailableIn } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { errorMessage } from '@muster/schema';
import { applyDecorators, Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, MessagePattern, Server } from '@nestjs/microservices';
import { lastValueFrom, type Observable, throwError } from 'rxjs';
import { fromHeaders, methodOfSubject, parseMessage, responseEnvelope } from './call-service';
import { isFullDisk, unavailableRefusal } from './http-endpoint';
import type { Platform } from './platform';
import { RequestLogEntry } from './request-log-entry';

/** The controller method handles this method of proto/muster/v1: `(@Payload() request: Plain message, @Ctx() context: CommandContext) => Plain response`. */
export function Handles(method: DescMethod): MethodDecorator {
  return applyDecorators(MessagePattern(subjectOfMethod(method)));
}

/** Passes errors to the transport unchanged. The filter of Nest would convert a refusal to "Internal server error". */
@Catch()
export class PassOnFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * The microservice transport of Nest over the Requests port. A message that does not match its schema is refused before
 * the handler.
 */
export class RequestsServer extends Server implements CustomTransportStrategy {
  private ready: () => Promise<void> = () => Promise.resolve();
  private subscriptions: { unsubscribe(): void }[] = [];

  constructor(
    private readonly serviceName: string,
    private readonly platform: Pick<Platform, 'requests' | 'ids' | 'onCommandFailed'>,
  ) {
    super();
  }

  /** The server subscribes after `ready` has resolved. Before, a caller receives `no responder` and retries. */
  waitFor(ready: () => Promise<void>): void {
    this.ready = ready;
  }

  listen(callback: (error?: unknown) => void): void {
    this.ready().then(() => {
      for (const [subject, handler] of this.messageHandlers)
        this.subscriptions.push(this.serve(this.platform.requests, subject, handler));
      callback();
    }, callback);
  }

  close(): void {
    this.subscriptions.forEach((subscription) => subscription.unsubscribe());
    this.subscriptions = [];
  }

  // The port handles the connection state, so the listeners of Nest have no effect.
  override on(): void {}
  override unwrap<T>(): T {
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- Nest lets the caller name the type of its server
    return this.platform.requests as T;
  }

  private serve(requests: Requests, subject: string, handler: MessageHandler): { unsubscribe(): void } {
    const method = methodOfSubject(subject);
    if (!method) throw new Error(`No method of proto/muster/v1 has the subject ${subject}.`);
    const answer = (message: IncomingMessage): Promise<JsonValue> =>
      this.answer(message, fromHeaders(message.headers, this.platform.ids), method, handler);
    return requests.subscribe(subject, answer, { queue: this.serviceName });
  }

  private async answer(
    message: IncomingMessage,
    context: CommandContext,
    method: DescMethod,
    handler: MessageHandler,
  ): Promise<JsonValue> {
    let request: unknown;
    try {
      request = parseMessage(method.input, message.body);
    } catch (error) {
      return refusalEnvelope({
        code: 'invalid-input',
        reason: `The message is not a valid ${method.input.name}: ${errorMessage(error)}`,
        subject: method.input.name,
      });
    }
    try {
      const result = await handler(request, context);
      const response = await lastValueFrom(this.transformToObservable(result));
      return responseEnvelope(method, response);
    } catch (error) {
      if (error instanceof RefusalError) return refusalEnvelope(error.refusal);
      const unavailable = unavailableIn(error);
      if (unavailable) {
        this.platform.onCommandFailed?.(unavailable);
        return refusalEnvelope(unavailableRefusal(unavailable));
      }
      if (error instanceof AppendTooLarge) return refusalEnvelope({ code: 'too-large', reason: error.message });
      if (isFullDisk(error))
        return refusalEnvelope({ code: 'insufficient-storage', reason: `Nothing was stored: ${errorMessage(error)}` });
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.logger.error(new RequestLogEntry(`${message.subject}: ${reason}`, context));
      return refusalEnvelope({
        code: 'internal',
        reason: `The service ${this.serviceName} failed to answer ${method.name}. Its log has the reason.`,
      });
    }
  }
}

function refusalEnvelope(refusal: Refusal): JsonValue {
  return {
    refusal: {
      code: refusal.code,
      reason: refusal.reason,
      subject: refusal.subject ?? '',
      allowed: [...(refusal.allowed ?? [])],
    },
  };
}
