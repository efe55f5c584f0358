import { HEADERS } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { Ids, MessageHeaders } from '@muster/ports';

export function toHeaders(context: CommandContext): MessageHeaders {
  const headers: Record<string, string> = {};
  for (const [field, header] of Object.entries(HEADERS)) {
    const value = context[field as keyof CommandContext];
    if (value) headers[header] = value;
  }
  return headers;
}

/** The context of a message. A message without a command id gets one and is its own cause. */
export function fromHeaders(headers: MessageHeaders, ids: Ids): CommandContext {
  const commandId = headers[HEADERS.commandId] ?? ids.uuid();
  return {
    commandId,
    correlationId: headers[HEADERS.correlationId] ?? commandId,
    actor: headers[HEADERS.actor] ?? 'unknown',
    causationId: headers[HEADERS.causationId],
    requestId: headers[HEADERS.requestId],
    org: headers[HEADERS.org],
    user: headers[HEADERS.user],
    sourceAddress: headers[HEADERS.sourceAddress],
  };
}
