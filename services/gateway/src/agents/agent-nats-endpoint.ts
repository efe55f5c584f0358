import { STEP_TYPES, UUID_PATTERN } from '@muster/assisted-api';
import { anyAgentSubject, HEADERS, parseAgentSubject, toJsonValue } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import {
  fromHeaders,
  IDS,
  type InputOf,
  OpenAnswers,
  parseMessage,
  REQUESTS,
  unavailableRefusal,
} from '@muster/nest-kit';
import {
  type Ids,
  type IncomingMessage,
  type JsonObject,
  type JsonValue,
  type Requests,
  START_OF_STORE,
  unavailableIn,
} from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { errorMessage, isOneOf, keysOf, textAt } from '@muster/schema';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ReadYourWrites } from '../bus/read-your-writes';
import { AGENT_METHODS, AgentRequests, type RequestVerb } from './agent-requests';

const QUEUE = 'gateway';

/**
 * The bus endpoint for agents: `agent.v1.<infraEnvId>.<hostId>.<verb>`. The credentials of an agent limit the subjects
 * to which it may publish. The ids of the subject are therefore authenticated, and they replace the ids in the message.
 */
@Injectable()
export class AgentNatsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('gateway');
  private subscriptions: { unsubscribe(): void }[] = [];
  private readonly open = new OpenAnswers();

  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(IDS) private readonly ids: Ids,
    private readonly agentRequests: AgentRequests,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  onApplicationBootstrap(): void {
    this.subscriptions = keysOf(AGENT_METHODS).map((verb) =>
      this.requests.subscribe(anyAgentSubject(verb), (message) => this.answerOnce(verb, message), {
        queue: QUEUE,
      }),
    );
  }

  onApplicationShutdown(): void {
    this.subscriptions.forEach((subscription) => subscription.unsubscribe());
  }

  /** An agent without an answer repeats its request after a few seconds. The repetition receives the same answer. */
  private answerOnce(verb: RequestVerb, message: IncomingMessage): Promise<JsonValue> {
    const commandId = message.headers[HEADERS.commandId];
    const answer = (): Promise<JsonValue> => this.answer(verb, message);
    return commandId === undefined ? answer() : this.open.once(message, commandId, answer);
  }

  private async answer(verb: RequestVerb, message: IncomingMessage): Promise<JsonValue> {
    try {
      const ids = readIds(message.subject);
      const context = this.contextOf(message, ids);
      const answer =
        verb === 'next_steps'
          ? this.agentRequests.nextSteps(readInput(verb, message.body, ids), context)
          : this.agentRequests.send(verb, readInput(verb, message.body, ids), context);
      return { ok: toJsonValue(await answer), reachedPosition: this.readYourWrites.storePosition };
    } catch (error) {
      if (error instanceof RefusalError) return { refusal: toEnvelope(error.refusal) };
      const unavailable = unavailableIn(error);
      if (unavailable) return { refusal: toEnvelope(unavailableRefusal(unavailable)) };
      this.logger.error(`${verb}: ${error instanceof Error ? error.stack : String(error)}`);
      return {
        refusal: toEnvelope({ code: 'internal', reason: 'Internal error. The log of the service has the details.' }),
      };
    }
  }

  /**
   * The agent chooses the command id, so that it can repeat a request, and sends the position that it had received before. Its identity
   * comes from the subject.
   */
  private contextOf({ headers }: IncomingMessage, { infraEnvId, hostId }: HostIds): CommandContext {
    const given = headers[HEADERS.commandId] ?? '';
    // The host id is part of the command id, so that an agent cannot use the command ids of another agent.
    const commandId = UUID_PATTERN.test(given) ? `${infraEnvId}.${hostId}.${given}` : this.ids.uuid();
    const unusedUpTo = headers[HEADERS.unusedUpTo] ?? '';
    const accepted = { [HEADERS.commandId]: commandId, [HEADERS.unusedUpTo]: unusedUpTo };
    const context = fromHeaders({ ...accepted, [HEADERS.actor]: `agent:${hostId}` }, this.ids);
    // A store that was restored from a backup has not reached the position again. The command may be among its next events.
    const isReached = (context.unusedUpTo ?? START_OF_STORE) <= this.readYourWrites.storePosition;
    return isReached ? context : { ...context, unusedUpTo: undefined };
  }
}

interface HostIds {
  readonly infraEnvId: string;
  readonly hostId: string;
}

function readIds(subject: string): HostIds {
  const { infraEnvId = '', hostId = '' } = parseAgentSubject(subject) ?? {};
  if (UUID_PATTERN.test(infraEnvId) && UUID_PATTERN.test(hostId)) {
    return { infraEnvId: infraEnvId.toLowerCase(), hostId: hostId.toLowerCase() };
  }
  throw new RefusalError({
    code: 'invalid-input',
    reason: 'The subject must be agent.v1.<infra-env UUID>.<host UUID>.<verb>.',
    subject: 'subject',
  });
}

function readInput<Verb extends RequestVerb>(
  verb: Verb,
  body: JsonValue,
  ids: HostIds,
): InputOf<(typeof AGENT_METHODS)[Verb]> & HostIds {
  const { input } = AGENT_METHODS[verb];
  refuseUnknownStep(body);
  try {
    const message = parseMessage<(typeof AGENT_METHODS)[Verb]['input']>(input, { ...jsonObjectOf(body), ...ids });
    return { ...message, ...ids };
  } catch (error) {
    const reason = `The message is not a ${input.name}: ${errorMessage(error)}`;
    throw new RefusalError({ code: 'invalid-input', reason, subject: input.name });
  }
}

/** The type of a step is part of events and of the memory of failures. The HTTP endpoint checks it with the request. */
function refuseUnknownStep(body: JsonValue): void {
  const stepType = textAt(body, 'stepType') || textAt(body, 'step_type');
  if (!stepType || isOneOf(STEP_TYPES, stepType)) return;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `The step type ${JSON.stringify(stepType.slice(0, 64))} is not known. Update the agent.`,
    subject: 'step_type',
    allowed: STEP_TYPES,
  });
}

const jsonObjectOf = (body: JsonValue): JsonObject =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};

const toEnvelope = ({ code, reason, subject = '', allowed = [] }: Refusal): JsonObject => ({
  code,
  reason,
  subject,
  allowed: [...allowed],
});
