import { isDeepStrictEqual } from 'node:util';
import type { DescMethod } from '@bufbuild/protobuf';
import { subjectOfMethod } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import {
  AppendTooLarge,
  type IncomingMessage,
  type JsonValue,
  settleWithin,
  TextTooLong,
  unavailableIn,
} from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { errorMessage, isObject } from '@muster/schema';
import { type INestApplicationContext, Logger, SetMetadata } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { fromHeaders, parseMessage, responseEnvelope } from './call-service';
import { isFullDisk, isLockedFile, unavailableRefusal } from './http-endpoint';
import type { Platform } from './platform';
import { RequestLogEntry } from './request-log-entry';

type Handler = (request: unknown, context: CommandContext) => unknown;

/** The requests that are being answered. A repetition of one receives its answer. */
export class OpenAnswers {
  private readonly open = new Map<string, { readonly body: JsonValue; readonly answer: Promise<JsonValue> }>();

  /** Returns the answer of the request with the same subject, command id and body that is being answered, otherwise that of `answer`. */
  once({ subject, body }: IncomingMessage, commandId: string, answer: () => Promise<JsonValue>): Promise<JsonValue> {
    const key = `${subject} ${commandId}`;
    const first = this.open.get(key);
    if (first && isDeepStrictEqual(first.body, body)) return first.answer;
    const own = answer();
    // One command may cause several requests.
    if (first) return own;
    this.open.set(key, { body, answer: own });
    const end = (): void => void this.open.delete(key);
    own.then(end, end);
    return own;
  }
}

const HANDLED_METHOD = 'muster:handled-method';

/** Maximum time for the running requests when the service stops. The program ends 5 s after the signal. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The controller method handles this method of proto/muster/v1: `(request: Plain message, context: CommandContext) => Plain response`. */
export function Handles(method: DescMethod): MethodDecorator {
  return SetMetadata(HANDLED_METHOD, method);
}

/** Yields the methods of the controllers that handle requests. */
function* handlersOf(app: INestApplicationContext): Generator<readonly [DescMethod, Handler]> {
  const scanner = new MetadataScanner();
  for (const { controllers } of app.get(ModulesContainer).values())
    for (const { instance } of controllers.values()) {
      if (!isObject(instance)) continue;
      for (const name of scanner.getAllMethodNames(instance)) {
        const handler: unknown = instance[name];
        const method = typeof handler === 'function' ? handledBy(handler) : undefined;
        if (typeof handler === 'function' && method) yield [method, handler.bind(instance)];
      }
    }
}

function handledBy(handler: object): DescMethod | undefined {
  return Reflect.getMetadata(HANDLED_METHOD, handler);
}

/**
 * Answers requests from the Requests port with the controllers of a service. A message that does not match its schema is refused
 * before the handler. The microservices of Nest are not used: their transport takes 22 promises per request.
 */
export class RequestsServer {
  private readonly logger = new Logger(RequestsServer.name);
  private subscriptions: { unsubscribe(): void }[] = [];
  /** Number of requests that are being answered. */
  private running = 0;
  private readonly open = new OpenAnswers();
  private isClosing = false;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly serviceName: string,
    private readonly platform: Pick<Platform, 'requests' | 'ids' | 'onCommandFailed'>,
  ) {}

  /** Subscribes to the requests. Before, a caller receives `no responder` and retries. */
  listen(app: INestApplicationContext): void {
    for (const [method, handler] of handlersOf(app)) this.subscriptions.push(this.serve(method, handler));
  }

  /**
   * Resolves when the running requests are answered, or after CLOSE_TIMEOUT_MS. They need the store, which closes afterwards. A
   * received request that has not started gets no answer, so that its caller repeats it.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    this.subscriptions.forEach((subscription) => subscription.unsubscribe());
    this.subscriptions = [];
    if (this.running === 0) return;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await settleWithin(CLOSE_TIMEOUT_MS, idle, () => new Error('Some requests take longer.')).catch(() => undefined);
  }

  private serve(method: DescMethod, handler: Handler): { unsubscribe(): void } {
    const answer = (message: IncomingMessage): Promise<JsonValue> | undefined =>
      this.isClosing ? undefined : this.answerOnce(message, method, handler);
    return this.platform.requests.subscribe(subjectOfMethod(method), answer, { queue: this.serviceName });
  }

  /**
   * A caller without an answer repeats its request. While the first one is executed, for example during an outage of the store, the
   * repetition receives the answer of the first. Executed after the first one, it would end later than its caller waits.
   */
  private answerOnce(message: IncomingMessage, method: DescMethod, handler: Handler): Promise<JsonValue> {
    const context = fromHeaders(message.headers, this.platform.ids);
    return this.open.once(message, context.commandId, () => this.answer(message, context, method, handler));
  }

  private async answer(
    message: IncomingMessage,
    context: CommandContext,
    method: DescMethod,
    handler: Handler,
  ): Promise<JsonValue> {
    // A counter and not a set of promises, because each further promise of a request costs time.
    this.running += 1;
    try {
      return responseEnvelope(method, await handler(readRequest(method, message), context));
    } catch (error) {
      if (error instanceof RefusalError) return refusalEnvelope(error.refusal);
      const unavailable = unavailableIn(error);
      if (unavailable) {
        this.platform.onCommandFailed?.(unavailable);
        return refusalEnvelope(unavailableRefusal(unavailable));
      }
      if (error instanceof AppendTooLarge) return refusalEnvelope({ code: 'too-large', reason: error.message });
      if (error instanceof TextTooLong)
        return refusalEnvelope({ code: 'too-large', reason: error.message, subject: error.field });
      if (isFullDisk(error))
        return refusalEnvelope({ code: 'insufficient-storage', reason: `Nothing was stored: ${errorMessage(error)}` });
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.logger.error(new RequestLogEntry(`${message.subject}: ${reason}`, context));
      // Agents repeat a request that is refused so, and give up after an internal error.
      if (isLockedFile(error))
        return refusalEnvelope({ code: 'unavailable', reason: `Nothing was stored: ${errorMessage(error)}` });
      return refusalEnvelope({
        code: 'internal',
        reason: `The service ${this.serviceName} failed to answer ${method.name}. Its log has the reason.`,
      });
    } finally {
      this.running -= 1;
      if (this.running === 0) this.onIdle?.();
    }
  }
}

/** @throws RefusalError when the body does not have the shape of the message */
function readRequest({ input }: DescMethod, { body }: IncomingMessage): unknown {
  try {
    // A service of a newer release may send fields that this release does not have.
    return parseMessage(input, body, { ignoreUnknownFields: true });
  } catch (error) {
    const reason = `The message is not a valid ${input.name}: ${errorMessage(error)}`;
    throw new RefusalError({ code: 'invalid-input', reason, subject: input.name });
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
