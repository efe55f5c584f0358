import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { HEADERS, type Plain, subjectOfMethod, toJsonValue, toPlainForm } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import {
  type Ids,
  type JsonValue,
  type MessageHeaders,
  MessageTooLarge,
  NoResponder,
  type Requests,
  RequestTimedOut,
} from '@muster/ports';
import { PROBLEMS, type Refusal, RefusalError } from '@muster/problems';
import { hiddenProperty, isKeyOf, isObject, keysOf, listAt, memberAt, textAt } from '@muster/schema';
import { unavailableRefusal } from './http-endpoint';

/** A method of a service in proto/muster/v1, with the types of its messages. */
export type Method<Input extends DescMessage = DescMessage, Output extends DescMessage = DescMessage> = Omit<
  DescMethod,
  'input' | 'output'
> & { readonly input: Input; readonly output: Output };

export type InputOf<M extends Method> = Plain<MessageShape<M['input']>>;
export type OutputOf<M extends Method> = Plain<MessageShape<M['output']>>;

/**
 * Returns the message as a plain object with its implicit fields.
 * @throws Error that names the place when the JSON does not have the shape, or has an unknown field unless these are ignored
 */
export function parseMessage<Schema extends DescMessage>(
  schema: Schema,
  body: JsonValue,
  options?: { readonly ignoreUnknownFields: boolean },
): Plain<MessageShape<Schema>> {
  return toPlainForm(schema, body, options);
}

export function toHeaders(context: CommandContext): MessageHeaders {
  const headers: Record<string, string> = {};
  for (const field of keysOf(HEADERS)) {
    const value = context[field];
    if (value !== undefined && value !== '') headers[HEADERS[field]] = String(value);
  }
  return headers;
}

/** Returns the context of a message. A message without a command id gets a new one and is its own cause. */
export function fromHeaders(headers: MessageHeaders, ids: Ids): CommandContext {
  const commandId = headers[HEADERS.commandId] ?? ids.uuid();
  return {
    commandId,
    unusedUpTo: positionIn(headers[HEADERS.unusedUpTo]),
    correlationId: headers[HEADERS.correlationId] ?? commandId,
    actor: headers[HEADERS.actor] ?? 'unknown',
    causationId: headers[HEADERS.causationId],
    requestId: headers[HEADERS.requestId],
    org: headers[HEADERS.org],
    user: headers[HEADERS.user],
    sourceAddress: headers[HEADERS.sourceAddress],
  };
}

const POSITION = /^\d{1,15}$/;
const positionIn = (text = ''): number | undefined => (POSITION.test(text) ? Number(text) : undefined);

/**
 * Timeout of each attempt in ms. A lost message costs the first timeout. A starting service has the sum of all
 * timeouts.
 */
const ATTEMPT_TIMEOUTS_MS = [1_500, 3_000, 6_000];
const NO_RESPONDER_WAIT_MS = 250;
const MAX_NO_RESPONDER_WAITS = 40;

/**
 * Sends a request to another service. The outcome of a lost request is unknown, so the request is repeated with the
 * same command id.
 * @throws RefusalError with the refusal of the service, `busy` when it does not answer, `unavailable` when the bus is not available,
 * `too-large` when the bus does not accept the request, or `internal` when it does not accept the answer
 */
export async function callService<M extends Method>(
  requests: Requests,
  method: M,
  input: InputOf<M>,
  context: CommandContext,
): Promise<OutputOf<M>> {
  const subject = subjectOfMethod(method);
  const headers = toHeaders(context);
  let attempt = 0;
  let absences = 0;
  let isOutcomeUnknown = false;
  for (;;) {
    try {
      const timeoutMs = ATTEMPT_TIMEOUTS_MS[attempt] ?? 0;
      const reply = await requests.request(subject, toJsonValue(input), headers, timeoutMs);
      return unwrap(method, reply);
    } catch (error) {
      if (error instanceof MessageTooLarge) {
        const code = error.isAnswer ? 'internal' : 'too-large';
        throw new RefusalError({ code, reason: error.message, subject: error.field });
      }
      isOutcomeUnknown ||= error instanceof RequestTimedOut && !error.unsent;
      if (error instanceof RequestTimedOut && attempt + 1 < ATTEMPT_TIMEOUTS_MS.length) attempt += 1;
      else if (error instanceof NoResponder && absences < MAX_NO_RESPONDER_WAITS) {
        absences += 1;
        await new Promise((resolve) => setTimeout(resolve, NO_RESPONDER_WAIT_MS));
      } else if (error instanceof RequestTimedOut || error instanceof NoResponder) {
        requests.abandoned?.();
        throw new RefusalError(unansweredRefusal(error, isOutcomeUnknown));
      } else throw error;
    }
  }
}

/** Names what is not available: the server of the bus, or the service to which the subject belongs. */
function unansweredRefusal(error: RequestTimedOut | NoResponder, isOutcomeUnknown: boolean): Refusal {
  if (error instanceof RequestTimedOut && error.unsent)
    return unavailableRefusal({ message: error.unsent.message, isOutcomeUnknown });
  const [service] = error.subject.split('.');
  const message = `The service ${service} ${error instanceof NoResponder ? 'is not running' : 'does not answer'}`;
  return { ...unavailableRefusal({ message, isOutcomeUnknown }), code: 'busy' };
}

/** Responses that a service of this process has already converted to their plain form. */
const schemaOfPlainResponse = hiddenProperty<DescMessage>();

const isPlainResponse = <Schema extends DescMessage>(
  schema: Schema,
  response: unknown,
): response is Plain<MessageShape<Schema>> => isObject(response) && schemaOfPlainResponse.get(response) === schema;

/** JSON of long texts of a response, by a name on which the service and its caller agree. */
export type WrittenJson = ReadonlyMap<string, string>;
const writtenJson = hiddenProperty<WrittenJson>();

/** Lets a caller in the same process copy the JSON of long texts instead of escaping them. Other callers receive only the response. */
export const keepJson = (response: object, written: WrittenJson): void => writtenJson.set(response, written);

/** Returns the JSON that a service of this process has kept with its response. */
export const keptJson = (response: object): WrittenJson | undefined => writtenJson.get(response);

/** The envelope of a response. A caller in the same process receives the same object without another check. */
export function responseEnvelope<M extends DescMethod>(method: M, response: unknown): JsonValue {
  const plain = toPlainForm(method.output, response ?? {}, { ignoreUnknownFields: true });
  schemaOfPlainResponse.set(plain, method.output);
  const written = isObject(response) && keptJson(response);
  if (written) keepJson(plain, written);
  return { ok: toJsonValue(plain) };
}

function unwrap<M extends Method>(method: M, reply: JsonValue): OutputOf<M> {
  const refusal = memberAt(reply, 'refusal');
  if (isObject(refusal)) {
    const code = textAt(refusal, 'code');
    throw new RefusalError({
      code: code !== undefined && isKeyOf(PROBLEMS, code) ? code : 'internal',
      reason: textAt(refusal, 'reason') ?? '',
      subject: textAt(refusal, 'subject') || undefined,
      allowed: 'allowed' in refusal ? listAt(refusal, 'allowed').map(String) : undefined,
    });
  }
  const ok = memberAt(reply, 'ok') ?? {};
  if (isPlainResponse<M['output']>(method.output, ok)) return ok;
  // A service of a newer release may send fields that this release does not have.
  return toPlainForm<M['output']>(method.output, ok, { ignoreUnknownFields: true });
}
